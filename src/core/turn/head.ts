// What a turn fixes when it begins and its response echoes. @spec resources/response-object
import type { Warning } from "../../contract/resources.ts";
import type { PlanQuestion } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import type { TurnHead } from "./turn.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

/** The head of a planned turn; a tool answer inherits from the turn it answers. */
export function planHead(question: PlanQuestion, prompt: Prompt, warnings: readonly Warning[]): TurnHead {
  const { request, draft, history, id } = question;
  const { settings } = draft;
  const latest = history?.latest ?? null;
  const answered = draft.userTurn === null ? latest : null;
  return {
    id,
    createdAt: question.createdAt,
    model: draft.model.id,
    // Every round of a turn reports the response that the turn continued.
    previousResponseId: answered === null ? request.previousResponseId : answered.head.previousResponseId,
    conversationId: request.conversationId as TurnHead["conversationId"],
    turnId: answered === null ? id : answered.head.turnId,
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
    reasoning: question.reasoningOf(draft.model, prompt),
    safetyIdentifier: draft.tools.safetyIdentifier,
    text: { format: settings.format ?? { type: "text" }, verbosity: settings.verbosity ?? "medium" },
    toolChoice: draft.tools.toolChoice,
    tools: draft.tools.tools,
    truncation: request.truncation,
    includesEncryptedContent: draft.includesEncryptedContent,
    usageBefore: answered === null ? NO_USAGE : addUsage(answered.head.usageBefore, answered.usage),
    warnings,
  };
}
