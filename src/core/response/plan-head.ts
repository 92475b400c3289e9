// The head of a response: the facts fixed when it begins, which its object echoes, the warnings of planning among
// them. @spec resources/response-object
import type { Warning } from "../../contract/resources.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { type ContinuedHistory, continuedOf, type PlanDraft, type PlanServices } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import type { ResponseHead } from "./response.ts";
import { addUsage, NO_USAGE } from "../../contract/usage.ts";

/** The head of a planned response; tool outputs inherit from the turn they continue. */
export function planHead(
  draft: PlanDraft,
  { id, createdAt, reasoningOf }: PlanServices,
  sent: { readonly prompt: Prompt; readonly promptCharacters: number; readonly callsBefore: number },
  warnings: readonly Warning[],
): ResponseHead {
  const { request, history, settings } = draft;
  const continued = continuedOf(draft);
  const carried = history?.carried;
  const first = continued === null ? (carried?.firstResponseId ?? carried?.turnId) : continued.head.firstResponseId;
  return {
    id,
    createdAt,
    model: draft.model.id,
    // Every round of a turn reports the response that the turn continued.
    previousResponseId: continued === null ? request.previousResponseId : continued.head.previousResponseId,
    conversationId: request.conversationId as ResponseHead["conversationId"],
    turnId: continued === null ? id : continued.head.turnId,
    ...(first === undefined ? {} : { firstResponseId: first }),
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
 * How many tool calls a response may make; output-builder.ts drops the others: the smallest of the request's limit,
 * what the organization's calls per turn leave, and 1 when parallel calls are off; Infinity when none is set. A
 * continuation counts from zero against the request's limit; the organization's is for all rounds of a turn together.
 * @spec endpoints/post-responses (max_tool_calls)
 */
export function toolCallLimit(
  {
    maxToolCalls,
    callsBefore = 0,
    parallelToolCalls,
  }: Pick<ResponseHead, "maxToolCalls" | "callsBefore" | "parallelToolCalls">,
  policyToolCallsPerTurn: number | null,
): number {
  const left = policyToolCallsPerTurn === null ? Infinity : Math.max(0, policyToolCallsPerTurn - callsBefore);
  return Math.min(maxToolCalls ?? Infinity, left, parallelToolCalls ? Infinity : 1);
}

/** For `svc:warnings` (docs/wire.md, Objects): how many turns of a truncated history are not among the kept items. */
export function truncationWarning({ turns }: ContinuedHistory, kept: readonly HistoryItem[]): Warning[] {
  // Without its unreadable items a history may fit after all.
  return droppedWarning(turns - kept.filter((entry) => entry.opensTurn).length);
}

/** The same for so many dropped turns. */
export function droppedWarning(dropped: number): Warning[] {
  if (dropped === 0) return [];
  return [
    {
      code: "truncated",
      message: `${dropped} ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history to fit the context window.`,
      param: "truncation",
    },
  ];
}

/** How many turns were dropped because the provider rejected the prompt as too long. */
export function shortenedWarning(dropped: number): Warning {
  return {
    code: "truncated",
    message: `${dropped} more ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history: the provider rejected the prompt as too long.`,
    param: "truncation",
  };
}

/** Stored items, and states of the provider, that cannot be read are not sent. */
export function unreadableWarning(unreadable: number): Warning[] {
  if (unreadable === 0) return [];
  const [items, were] = unreadable === 1 ? ["item", "was"] : ["items", "were"];
  return [
    {
      code: "history_unreadable",
      message: `${unreadable} stored ${items} of the history could not be read and ${were} not sent to the model.`,
      param: null,
    },
  ];
}

/** The provider has no field for the end user. */
export function endUserWarning(draft: PlanDraft): Warning[] {
  if (draft.tools.safetyIdentifier === null || draft.model.hasEndUserField) return [];
  return [
    {
      code: "safety_identifier_not_sent",
      message: `The provider of ${draft.model.id} has no field for an end user: safety_identifier was not sent.`,
      param: "safety_identifier",
    },
  ];
}

/** A prompt template, named by its id in the provider's dashboard, is not used. */
export const PROMPT_WARNING: Warning = {
  code: "prompt_not_used",
  message: "Prompt templates are not supported and prompt was ignored: send the text as instructions and input.",
  param: "prompt",
};
