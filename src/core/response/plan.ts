// Plans a response as a value before it runs: everything that can be decided before it begins is decided here, or fails
// here.
// @spec endpoints/post-responses
import type { Warning } from "../../contract/resources.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { CatalogModel } from "../models/catalog.ts";
import { statesFor } from "../models/targets.ts";
import { type MintItemId, planUserTurn, type TurnInputItem } from "./user-turn.ts";
import {
  planHead,
  toolCallLimit,
  droppedWarning,
  endUserWarning,
  PROMPT_WARNING,
  shortenedWarning,
  truncationWarning,
  unreadableWarning,
} from "./plan-head.ts";
import { continuedOf, type PlanDraft, type PlanServices } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import { otherCallIds, toPromptItems } from "./prompt-items.ts";
import { tokensAfterRejection } from "./prompt-tokens.ts";
import { knownCalls, readToolOutputs } from "./tool-outputs.ts";
import type { ResponseHead, WaitingCallsAction } from "./response.ts";
import { continuedIn, fitHistory, type HistoryWindow, sentCharacters } from "./window.ts";

/** A response ready to begin. */
export interface Plan {
  readonly head: ResponseHead;
  readonly model: CatalogModel;
  readonly prompt: Prompt;
  /** Characters of instructions, history and input that are sent, as the fit check counts them. */
  readonly promptCharacters: number;
  /** Turns of the history that are sent. */
  readonly historyTurns: number;
  readonly input: readonly TurnInputItem[];
  /** Whether the input opens a turn; tool outputs belong to the turn that they continue. */
  readonly opensTurn: boolean;
  /** The response's effect on waiting calls; null: a user turn that meets none. */
  readonly calls: WaitingCallsAction | null;
  /** Tool calls that the response may make. */
  readonly callsMax: number;
  /** Output tokens allowed: max_output_tokens, else the model's maximum, as a wire may leave a default out. */
  readonly outputTokensMax: number;
  /** The keyed hash of the end user, whether the model is sent it or not; null: the request names none. */
  readonly endUserHash: string | null;
  /** Warnings that arose after the response had begun. */
  readonly laterWarnings: readonly Warning[];
}

/**
 * The second half: the response's items, the part of the history to send, the prompt, and what the response will echo.
 */
export function completePlan(draft: PlanDraft, window: HistoryWindow, services: PlanServices): Plan {
  const { request, history } = draft;
  const { items: input, warnings } = planInput(draft, services.mint);
  const kept = draft.wholeFits && window.isWhole ? window.items : fitHistory(window, input, draft.fit);
  const endUser = draft.tools.safetyIdentifier ?? draft.tools.user;
  const endUserHash = endUser === null ? null : services.endUserHash(endUser);
  const sent = planPrompt(draft, { kept, window, input, endUserHash });
  const callsBefore = countCallsBefore(draft, window);
  const hasTarget = draft.model.target !== undefined;
  const truncated = history !== null && kept !== window.items ? truncationWarning(history, kept) : [];
  const unsent = endUserWarning(draft);
  const head = planHead(draft, services, { ...sent, callsBefore }, [
    ...warnings,
    ...(hasTarget ? [] : truncated),
    ...unreadableWarning(window.unreadable + (continuedOf(draft)?.unreadableStates ?? 0)),
    ...(hasTarget ? [] : unsent),
    ...(request.hasPromptTemplate ? [PROMPT_WARNING] : []),
  ]);
  return {
    ...sent,
    head,
    model: draft.model,
    input,
    opensTurn: draft.userTurn !== null,
    calls: draft.calls,
    callsMax: toolCallLimit(head, draft.policy.toolCallsPerTurn),
    outputTokensMax: draft.maxOutputTokens ?? draft.model.maxOutputTokens,
    endUserHash,
    // Another target may run it, with another window and other fields.
    laterWarnings: hasTarget ? [...truncated, ...unsent] : [],
  };
}

/** Nothing is left to run of a response: the calls that its input answers were deleted after it had begun. */
export class CallsDeleted extends Error {
  override readonly name = "CallsDeleted";

  constructor() {
    super("The function calls that this turn answers were deleted.");
  }
}

/**
 * Plans the prompt of a begun response again, from the history as it is now. `rejections`: how often its provider has
 * found the prompt too long. With 0 it keeps its turns; each time it gets fewer, if any can be dropped. Head and input
 * stay as they are stored. Throws CallsDeleted.
 */
export function planAgain(plan: Plan, draft: PlanDraft, window: HistoryWindow, rejections: number): Plan {
  if (answersNothing(plan, window)) throw new CallsDeleted();
  const { input, endUserHash, promptCharacters: characters, prompt } = plan;
  const rejected = { characters, tools: prompt.tools, rejections };
  const tokens = rejections === 0 ? draft.fit.tokens : tokensAfterRejection(draft.fit, rejected);
  const continued = continuedIn(window, draft.fit.continued);
  const kept = fitHistory(window, input, { ...draft.fit, tokens, continued });
  const sent = planPrompt(draft, { kept, window, input, endUserHash });
  if (rejections === 0) return { ...plan, ...sent };
  const warning = shortenedWarning(plan.historyTurns - sent.historyTurns);
  return { ...plan, ...sent, laterWarnings: [...plan.laterWarnings, warning] };
}

/** Whether an input has outputs only, and the history none of their calls any more. */
function answersNothing({ calls, input }: Plan, { items }: HistoryWindow): boolean {
  if (calls?.kind !== "answer" || input.some(({ item }) => item.type !== "function_call_output")) return false;
  const madeBy = new Set(calls.of.map((each) => each.madeBy));
  return !items.some(({ item, responseId }) => {
    return item.type === "function_call" && responseId !== null && madeBy.has(responseId);
  });
}

/**
 * Plans a response that has begun for another target of its model. Head and input stay as they are stored. Throws 400
 * if the history does not fit the target, CallsDeleted as above.
 */
export function planOnTarget(plan: Plan, draft: PlanDraft, window: HistoryWindow): Plan {
  const { history, maxOutputTokens, model } = draft;
  const { historyTurns, laterWarnings: _, ...sent } = planAgain(plan, draft, window, 0);
  // What could not be read is not sent either, but nothing was dropped for it.
  const isWhole = window.isWhole && historyTurns === countTurns(window.items);
  const dropped = isWhole ? 0 : (history?.turns ?? 0) - historyTurns;
  return {
    ...sent,
    model,
    historyTurns,
    outputTokensMax: maxOutputTokens ?? model.maxOutputTokens,
    laterWarnings: [...droppedWarning(dropped), ...endUserWarning(draft)],
  };
}

/** The prompt of a plan, and its size. */
function planPrompt(
  draft: PlanDraft,
  {
    kept,
    window,
    input,
    endUserHash,
  }: Pick<Plan, "input" | "endUserHash"> & {
    readonly kept: readonly HistoryItem[];
    readonly window: HistoryWindow;
  },
): Pick<Plan, "prompt" | "promptCharacters" | "historyTurns"> {
  const { request, settings, model, tools, maxOutputTokens } = draft;
  const rounds = statesFor(model, continuedOf(draft)?.states ?? []);
  const added = input.map((entry) => ({ ...entry, responseId: null }));
  const items = toPromptItems([...kept, ...added], rounds);
  const prompt: Prompt = {
    ...settings,
    instructions: request.instructions === "" ? null : request.instructions,
    items,
    otherCallIds: otherCallIds([...window.items, ...added], items),
    tools: tools.tools,
    toolChoice: tools.toolChoice,
    maxOutputTokens: maxOutputTokens ?? model.defaultOutputTokens,
    maxOutputTokensSet: maxOutputTokens !== null,
    endUserHash: model.hasEndUserField ? endUserHash : null,
  };
  return {
    prompt,
    promptCharacters: draft.fit.sentSize + sentCharacters(kept, input),
    historyTurns: countTurns(kept),
  };
}

function countTurns(items: readonly HistoryItem[]): number {
  return items.filter(({ opensTurn }) => opensTurn).length;
}

/** Tool calls that the earlier rounds of a turn made: as the last one counted them, and its own. */
function countCallsBefore(draft: PlanDraft, { items }: HistoryWindow): number {
  const continued = continuedOf(draft);
  if (continued === null) return 0;
  const { id, callsBefore = 0 } = continued.head;
  const made = items.filter(
    ({ item, responseId, carried }) => item.type === "function_call" && responseId === id && !carried,
  );
  return callsBefore + made.length;
}

/** The items that the response adds, and warnings about ignored ones. */
function planInput(
  { userTurn, request, history }: PlanDraft,
  mint: MintItemId,
): { items: readonly TurnInputItem[]; warnings: readonly Warning[] } {
  if (userTurn !== null) return { items: planUserTurn(userTurn, mint), warnings: [] };
  const sent = typeof request.input === "string" ? [] : request.input;
  return readToolOutputs(sent, knownCalls(history), history?.answeredCallIds ?? new Set(), mint);
}
