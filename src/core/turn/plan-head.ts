// The head of a turn: the facts fixed when it begins, which its response echoes. @spec resources/response-object
import type { Warning } from "../../contract/resources.ts";
import type { PlanDraft, PlanServices } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import type { TurnHead } from "./turn.ts";
import { addUsage, NO_USAGE } from "../../contract/usage.ts";

/** The head of a planned turn; tool outputs inherit from the turn they continue. */
export function planHead(
  draft: PlanDraft,
  { id, createdAt, reasoningOf }: PlanServices,
  sent: { readonly prompt: Prompt; readonly promptCharacters: number; readonly callsBefore: number },
  warnings: readonly Warning[],
): TurnHead {
  const { request, history, settings } = draft;
  const continued = draft.userTurn === null ? (history?.latest ?? null) : null;
  return {
    id,
    createdAt,
    model: draft.model.id,
    // Every round of a turn reports the response that the turn continued.
    previousResponseId: continued === null ? request.previousResponseId : continued.head.previousResponseId,
    conversationId: request.conversationId as TurnHead["conversationId"],
    turnId: continued === null ? id : continued.head.turnId,
    instructions: request.instructions,
    maxOutputTokens: draft.maxOutputTokens,
    requestedMaxOutputTokens: draft.requestedMaxOutputTokens,
    maxToolCalls: draft.tools.maxToolCalls,
    metadata: request.metadata,
    parallelToolCalls: settings.parallelToolCalls ?? true,
    temperature: settings.temperature ?? 1,
    topP: settings.topP ?? 1,
    presencePenalty: settings.presencePenalty ?? 0,
    frequencyPenalty: settings.frequencyPenalty ?? 0,
    reasoning: reasoningOf(draft.model, sent.prompt),
    safetyIdentifier: draft.tools.safetyIdentifier,
    text: { format: settings.format ?? { type: "text" }, verbosity: settings.verbosity ?? "medium" },
    toolChoice: draft.tools.toolChoice,
    tools: draft.tools.tools,
    truncation: request.truncation,
    includesEncryptedContent: draft.includesEncryptedContent,
    promptCharacters: sent.promptCharacters,
    ...(sent.callsBefore === 0 ? {} : { callsBefore: sent.callsBefore }),
    usageBefore: continued === null ? NO_USAGE : addUsage(continued.head.usageBefore, continued.usage),
    warnings,
  };
}

/**
 * How many tool calls a response may make; output-builder.ts drops the others: the smallest of the request's limit, what
 * the organization's calls per turn leave, and 1 when parallel calls are off; Infinity when none is set. A continuation
 * counts from zero against the request's limit; the organization's is for all rounds of a turn together.
 * @spec endpoints/post-responses (max_tool_calls)
 */
export function toolCallLimit(
  {
    maxToolCalls,
    callsBefore = 0,
    parallelToolCalls,
  }: Pick<TurnHead, "maxToolCalls" | "callsBefore" | "parallelToolCalls">,
  policyToolCallsPerTurn: number | null,
): number {
  const left = policyToolCallsPerTurn === null ? Infinity : Math.max(0, policyToolCallsPerTurn - callsBefore);
  return Math.min(maxToolCalls ?? Infinity, left, parallelToolCalls ? Infinity : 1);
}
