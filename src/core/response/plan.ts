// Plans a response as a value before it runs: everything that can be decided before it begins is decided here, or fails
// here.
// @spec endpoints/post-responses
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import type { Warning } from "../../contract/resources.ts";
import type { Catalog, CatalogModel } from "../models/catalog.ts";
import { type HistoryItem, outputSize } from "../history/history-item.ts";
import { chooseModel } from "../models/policy.ts";
import {
  type MintItemId,
  planUserTurn,
  readUserTurn,
  sizeOfUserTurn,
  type TurnInputItem,
  type UserTurnContext,
} from "./user-turn.ts";
import {
  planHead,
  toolCallLimit,
  endUserWarning,
  PROMPT_WARNING,
  shortenedWarning,
  truncationWarning,
  unreadableWarning,
} from "./plan-head.ts";
import type { ContinuedHistory, PlanDraft, PlanInput, PlanServices } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import { otherCallIds, toPromptItems } from "./prompt-items.ts";
import { tokensAfter, tokensAfterRefusal } from "./prompt-tokens.ts";
import { type CreateRequest, type ToolFields, valueFor } from "./request.ts";
import { checkSettings, checkToolChoice } from "./settings.ts";
import {
  assertNoCallsWaiting,
  assertNotBeingAnswered,
  callsByOutput,
  continuesTurn,
  type KnownCalls,
  knownCalls,
  listAnswered,
  readToolOutputs,
  sizeOfTextsBehind,
} from "./tool-outputs.ts";
import type { ContinuedResponse, ResponseHead, WaitingCallsAction } from "./response.ts";
import {
  continuedIn,
  fitHistory,
  type HistoryWindow,
  sentCharacters,
  type WindowInput,
  windowToRead,
} from "./window.ts";

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
 * The first half: model, settings, tools and fit, from the request and the end of the history. Throws 400
 * (`invalid_input` with the field as param, `model_policy_violation`, `context_length_exceeded`).
 */
export function draftPlan(input: PlanInput, catalog: Catalog): PlanDraft {
  const { request, history, policy } = input;
  const latest = history?.latest ?? null;
  assertFinished(request, latest);
  const known = knownCalls(history);
  const answers = history !== null && continuesTurn(request.input, known);
  const drops = !answers && (request.unansweredCalls ?? policy.unansweredCalls) === "drop";
  if (answers) assertNotBeingAnswered(request.input, known);
  else if (!drops) assertNoCallsWaiting(known.waiting);
  const userTurn = answers ? null : readUserTurn(request.input, contextOf(history));
  const tools = answers && latest !== null ? inheritTools(latest.head, request) : valueFor(request.toolFields);
  // Tool outputs continue the turn that made the calls, whichever response is named.
  const carried = answers ? (latest?.head ?? null) : (history?.carried ?? null);
  const model = chooseModel(request.model ?? carried?.model ?? null, catalog, policy);
  const settings = checkSettings(request, model);
  checkToolChoice(tools.toolChoice, model);
  const includesEncryptedContent = valueFor(request.includesEncryptedContent, model.id);
  const requestedMaxOutputTokens = request.requestedMaxOutputTokens ?? carried?.requestedMaxOutputTokens ?? null;
  const maxOutputTokens =
    requestedMaxOutputTokens === null ? null : Math.min(requestedMaxOutputTokens, model.maxOutputTokens);
  const frame = {
    model,
    maxOutputTokens: maxOutputTokens ?? model.defaultOutputTokens,
    sentSize:
      (userTurn === null ? sizeOfOutputs(request, known) : sizeOfUserTurn(userTurn)) +
      countCharacters(request.instructions ?? ""),
  };
  const window: WindowInput = {
    ...frame,
    truncation: request.truncation,
    tokens: request.truncation === "auto" ? tokensAfter(latest, frame) : null,
    historySize: history?.size ?? 0,
    continued: answers ? listAnswered(request.input, known) : [],
  };
  const { sizeMax, fits } = windowToRead(window);
  return {
    ...input,
    model,
    settings,
    userTurn,
    calls: answers ? answerCalls(request, known) : drops ? { kind: "drop" } : null,
    tools,
    requestedMaxOutputTokens,
    maxOutputTokens,
    includesEncryptedContent,
    window,
    sizeMax,
    fits,
  };
}

/**
 * The second half: the response's items, the part of the history to send, the prompt, and what the response will echo.
 */
export function completePlan(draft: PlanDraft, window: HistoryWindow, services: PlanServices): Plan {
  const { request, history } = draft;
  const { items: input, warnings } = planInput(draft, services.mint);
  const kept = draft.fits && window.isWhole ? window.items : fitHistory(window, input, draft.window);
  const endUser = draft.tools.safetyIdentifier ?? draft.tools.user;
  const endUserHash = endUser === null ? null : services.endUserHash(endUser);
  const sent = planPrompt(draft, { kept, window, input, endUserHash });
  const callsBefore = countCallsBefore(draft, window);
  const head = planHead(draft, services, { ...sent, callsBefore }, [
    ...warnings,
    ...(history !== null && kept !== window.items ? truncationWarning(history, kept) : []),
    ...unreadableWarning(window.unreadable + (continuedOf(draft)?.unreadableStates ?? 0)),
    ...endUserWarning(draft),
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
    laterWarnings: [],
  };
}

/**
 * Plans the prompt of a response that has begun again, from the history as it is now. After its provider has refused it
 * as too long, for the `refusals`th time, it has fewer turns, if it may have; with 0 it has those that it had. Head
 * and input stay as they are stored.
 */
export function planAgain(plan: Plan, draft: PlanDraft, window: HistoryWindow, refusals: number): Plan {
  const { input, endUserHash, promptCharacters: characters, prompt } = plan;
  const refused = { characters, tools: prompt.tools, refusals };
  const tokens = refusals === 0 ? draft.window.tokens : tokensAfterRefusal(draft.window, refused);
  const continued = continuedIn(window, draft.window.continued);
  const kept = fitHistory(window, input, { ...draft.window, tokens, continued });
  const sent = planPrompt(draft, { kept, window, input, endUserHash });
  if (refusals === 0) return { ...plan, ...sent };
  const warning = shortenedWarning(plan.historyTurns - sent.historyTurns);
  return { ...plan, ...sent, laterWarnings: [...plan.laterWarnings, warning] };
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
  // A model is sent the states of its own rounds only.
  const rounds = (continuedOf(draft)?.states ?? []).filter((round) => round.model === model.id);
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
    promptCharacters: draft.window.sentSize + sentCharacters(kept, input),
    historyTurns: kept.filter(({ opensTurn }) => opensTurn).length,
  };
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

/** The turn that tool outputs continue; null: a user turn. */
function continuedOf({ userTurn, history }: PlanDraft): ContinuedResponse | null {
  return userTurn === null ? (history?.latest ?? null) : null;
}

/** A request sends outputs for all waiting calls of a response or for none (readToolOutputs). */
function answerCalls({ input }: CreateRequest, known: KnownCalls): WaitingCallsAction {
  const of = listAnswered(input, known).map(({ madeBy, calls }) => {
    return { madeBy, callIds: calls.map((call) => call.call_id) };
  });
  return { kind: "answer", of };
}

/** docs/wire.md (History): a running response can't be continued yet, a failed one never. */
function assertFinished(request: CreateRequest, latest: ContinuedHistory["latest"]): void {
  if (latest === null || request.previousResponseId === null) return;
  const field = "previous_response_id";
  if (latest.status === "queued" || latest.status === "in_progress") {
    throw invalidInput(field, `${field} names a response that is still ${latest.status}: wait until it has finished.`);
  }
  if (latest.status === "failed") {
    throw invalidInput(field, `${field} names a response that failed: continue from the one before it.`);
  }
}

/**
 * The fields that tool outputs inherit from their turn. `user` is never stored, so each request sends its own;
 * beside a safety_identifier it is irrelevant, even if invalid.
 */
function inheritTools(head: ResponseHead, request: CreateRequest): ToolFields {
  const { tools, toolChoice, maxToolCalls, safetyIdentifier } = head;
  const user = safetyIdentifier === null ? valueFor(request.user) : null;
  return { tools, toolChoice, maxToolCalls, safetyIdentifier, user };
}

/** Characters that tool outputs count towards the window; only outputs of waiting calls are sent. */
function sizeOfOutputs({ input }: CreateRequest, known: KnownCalls): number {
  if (typeof input === "string") return 0;
  const calls = callsByOutput(known);
  let size = sizeOfTextsBehind(input, calls);
  for (const item of input) {
    if (item.type === "function_call_output" && calls.has(item.callId)) size += outputSize(item.callId, item.output);
  }
  return size;
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

function contextOf(history: ContinuedHistory | null): UserTurnContext {
  return { isFirstTurn: (history?.latest ?? null) === null, holdsItem: (id) => history?.heldItemIds.has(id) ?? false };
}
