// A stored response as the object that a client sees. @spec resources/response-object
import type { ResponseEvent } from "../../contract/events.ts";
import type { Item } from "../../contract/items.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { SERVICE_TIER } from "../../contract/settings.ts";
import type { StoredResponse, TargetRun } from "./response.ts";
import { addUsage } from "../../contract/usage.ts";

/**
 * The object of a response in its current state. By default encrypted reasoning is included as its create
 * asked.
 */
export function presentResponse(
  response: StoredResponse,
  includesEncryptedContent: boolean = response.head.includesEncryptedContent,
): ResponseObject {
  const { head, status, end } = response;
  const warnings = end === null ? head.warnings : [...head.warnings, ...end.warnings];
  return {
    id: head.id,
    object: "response",
    status,
    created_at: head.createdAt,
    completed_at: end?.completedAt ?? null,
    background: false,
    conversation: head.conversationId === null ? null : { id: head.conversationId },
    error: end?.error ?? null,
    incomplete_details: end === null || end.incompleteReason === null ? null : { reason: end.incompleteReason },
    instructions: head.instructions,
    max_output_tokens: head.maxOutputTokens,
    max_tool_calls: head.maxToolCalls,
    metadata: head.metadata,
    model: head.model,
    output: end === null ? [] : presentItems(end.output, includesEncryptedContent),
    parallel_tool_calls: head.parallelToolCalls,
    presence_penalty: head.presencePenalty,
    frequency_penalty: head.frequencyPenalty,
    temperature: head.temperature,
    top_p: head.topP,
    top_logprobs: 0,
    previous_response_id: head.previousResponseId,
    prompt_cache_key: null,
    reasoning: end?.ranAt === undefined ? head.reasoning : end.ranAt.reasoning,
    safety_identifier: head.safetyIdentifier,
    service_tier: SERVICE_TIER,
    store: true,
    text: head.text,
    tool_choice: head.toolChoice,
    tools: head.tools as ResponseObject["tools"],
    truncation: head.truncation,
    // Absent while running, not null: clients check for presence.
    ...(end === null ? {} : { usage: addUsage(head.usageBefore, end.usage) }),
    ...(end !== null && end.toolCallsDropped > 0 ? { "svc:tool_calls_dropped": end.toolCallsDropped } : {}),
    ...(end?.unreadable === undefined ? {} : { "svc:unreadable": [...end.unreadable] }),
    ...(warnings.length > 0 ? { "svc:warnings": [...warnings] } : {}),
    ...(end !== null && end.failure !== null ? { "svc:error": end.failure } : {}),
    ...(end?.ranAt === undefined ? {} : presentTarget(end.ranAt)),
  };
}

function presentTarget({ target, attempts }: TargetRun): Pick<ResponseObject, "svc:target" | "svc:attempts"> {
  return { "svc:target": target, ...(attempts.length === 0 ? {} : { "svc:attempts": [...attempts] }) };
}

/** Items as a client sees them: encrypted reasoning only on request. */
export function presentItems<T extends Item>(items: readonly T[], includesEncryptedContent: boolean): T[] {
  return items.map((item) => presentItem(item, includesEncryptedContent));
}

/** One item as a client sees it. */
export function presentItem<T extends Item>(item: T, includesEncryptedContent: boolean): T {
  if (includesEncryptedContent || item.type !== "reasoning" || item.encrypted_content === undefined) return item;
  const { encrypted_content: _, ...rest } = item;
  return rest as T;
}

/** An event as a client sees it: its item as the response's output will show it. */
export function presentEvent(event: ResponseEvent, includesEncryptedContent: boolean): ResponseEvent {
  if (event.type !== "response.output_item.done" || event.item.type !== "reasoning") return event;
  return { ...event, item: presentItem(event.item, includesEncryptedContent) };
}
