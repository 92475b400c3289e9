// A turn is planned as a value, then run: everything that can be decided before it begins is decided here, or refused.
// @spec endpoints/post-responses
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import type { Warning } from "../../contract/resources.ts";
import type { Catalog, CatalogModel } from "../catalog.ts";
import { outputSize } from "../history/history-item.ts";
import type { CreateRequest } from "../reading/create-body.ts";
import { readIncludeOfCreate } from "../reading/include-list.ts";
import { readToolFields, readUser, type ToolFields } from "../reading/tool-fields.ts";
import { chooseModel } from "./choose-model.ts";
import { planUserTurn, readUserTurn, sizeOfUserTurn, type TurnContext, type TurnInputItem } from "./first-turn.ts";
import { planHead } from "./head.ts";
import { endUserWarning, truncationWarning, unreadableWarning } from "./plan-warnings.ts";
import type { ContinuedHistory, PlanDraft, PlanPolicy, PlanQuestion } from "./planning.ts";
import type { Prompt } from "./prompt.ts";
import { toPromptItems } from "./prompt-items.ts";
import { checkSettings, checkToolChoice } from "./settings.ts";
import { isToolAnswer, readToolAnswer, refuseWhileWaiting } from "./tool-answer.ts";
import { toolCap } from "./tool-cap.ts";
import type { TurnHead } from "./turn.ts";
import { truncate, type WindowQuestion, windowToRead } from "./window.ts";

/** A turn ready to begin. */
export interface Plan {
  readonly head: TurnHead;
  readonly model: CatalogModel;
  readonly prompt: Prompt;
  /** Characters that are sent of instructions, history and input, as the fit check counts them. */
  readonly promptCharacters: number;
  readonly input: readonly TurnInputItem[];
  /** Whether the input opens a turn; a tool answer belongs to the turn it answers. */
  readonly opensTurn: boolean;
  /** Tool calls that the response may make. */
  readonly callsMax: number;
  /** Tokens that it may put out: its max_output_tokens, or without one all that its model can (a wire may leave a default out). */
  readonly outputTokensMax: number;
}

/**
 * The first half: model, settings, tools and fit, from the request and the end of the history. Refuses 400 (`invalid_input` with the
 * field as param, `model_policy_violation`, `context_length_exceeded`).
 */
export function draftPlan(
  request: CreateRequest,
  history: ContinuedHistory | null,
  catalog: Catalog,
  policy: PlanPolicy,
): PlanDraft {
  const latest = history?.latest ?? null;
  refuseUnfinished(request, latest);
  const waitingCalls = latest?.waitingCalls ?? [];
  const answers = history !== null && isToolAnswer(request.input, waitingCalls);
  if (!answers && latest !== null) refuseWhileWaiting(waitingCalls, latest.head.id);
  const userTurn = answers ? null : readUserTurn(request.input, contextOf(history));
  const tools =
    answers && latest !== null
      ? inheritTools(latest.head, request)
      : (request.toolFields ?? readToolFields(request.body));
  const model = chooseModel(request.model ?? latest?.head.model ?? null, catalog, policy);
  const settings = checkSettings(request.settings, model);
  checkToolChoice(tools.toolChoice, model);
  const includesEncryptedContent = readIncludeOfCreate(request.include, model.id);
  const requestedMaxOutputTokens = request.requestedMaxOutputTokens ?? latest?.head.requestedMaxOutputTokens ?? null;
  const maxOutputTokens =
    requestedMaxOutputTokens === null ? null : Math.min(requestedMaxOutputTokens, model.maxOutputTokens);
  const window: WindowQuestion = {
    model,
    maxOutputTokens: maxOutputTokens ?? model.defaultOutputTokens,
    truncation: request.truncation,
    sentSize:
      (userTurn === null ? sizeOfAnswer(request, waitingCalls) : sizeOfUserTurn(userTurn)) +
      countCharacters(request.instructions ?? ""),
    historySize: history?.size ?? 0,
  };
  const { sizeMax, truncates } = windowToRead(window);
  return {
    model,
    settings,
    userTurn,
    tools,
    requestedMaxOutputTokens,
    maxOutputTokens,
    includesEncryptedContent,
    window,
    sizeMax,
    truncates,
  };
}

/** The second half: the turn's items, what of the history is sent, the prompt, and what the response will echo. */
export function planTurn(question: PlanQuestion): Plan {
  const { request, draft, history, entries } = question;
  const { items: input, warnings } = planInput(question);
  const kept = draft.truncates ? truncate(entries, turnStart(question), draft.window) : entries;
  const endUser = draft.tools.safetyIdentifier ?? draft.tools.user;
  const { settings } = draft;
  const latest = history?.latest ?? null;
  // A model is sent the states of its own rounds only.
  const rounds = draft.userTurn === null ? (latest?.states ?? []).filter(({ model }) => model === draft.model.id) : [];
  const prompt: Prompt = {
    instructions: request.instructions === "" ? null : request.instructions,
    items: toPromptItems([...kept, ...input.map((entry) => ({ ...entry, responseId: null }))], rounds),
    tools: draft.tools.tools,
    toolChoice: draft.tools.toolChoice,
    parallelToolCalls: settings.parallelToolCalls,
    temperature: settings.temperature,
    topP: settings.topP,
    presencePenalty: settings.presencePenalty,
    frequencyPenalty: settings.frequencyPenalty,
    format: settings.format,
    verbosity: settings.verbosity,
    maxOutputTokens: draft.maxOutputTokens ?? draft.model.defaultOutputTokens,
    maxOutputTokensSet: draft.maxOutputTokens !== null,
    endUserHash: endUser === null || !draft.model.hasEndUserField ? null : question.endUserHash(endUser),
  };
  const told = [
    ...warnings,
    ...truncationWarning(draft, history, kept),
    ...unreadableWarning(question.unreadable),
    ...endUserWarning(draft),
  ];
  const head = planHead(question, prompt, told);
  return {
    head,
    model: draft.model,
    prompt,
    promptCharacters: kept.reduce((sum, { size }) => sum + size, draft.window.sentSize),
    input,
    opensTurn: draft.userTurn !== null,
    callsMax: toolCap(head.maxToolCalls, question.policy.toolCallsPerTurn, head.parallelToolCalls),
    outputTokensMax: draft.maxOutputTokens ?? draft.model.maxOutputTokens,
  };
}

/** Rule 3 of docs/wire.md: a running response can't be continued yet, a failed one never. */
function refuseUnfinished(request: CreateRequest, latest: ContinuedHistory["latest"]): void {
  if (latest === null || request.previousResponseId === null) return;
  const field = "previous_response_id";
  if (latest.status === "queued" || latest.status === "in_progress") {
    throw invalidInput(field, `${field} names a response that is still ${latest.status}: wait until it has finished.`);
  }
  if (latest.status === "failed") {
    throw invalidInput(field, `${field} names a response that failed: continue from the one before it.`);
  }
}

/** What a tool answer has of its turn. `user` is not among it: it is never kept, so each request brings its own. */
function inheritTools(head: TurnHead, request: CreateRequest): ToolFields {
  const { tools, toolChoice, maxToolCalls, safetyIdentifier } = head;
  return { tools, toolChoice, maxToolCalls, safetyIdentifier, user: readUser(request.body, safetyIdentifier) };
}

/** Characters that a tool answer counts towards the window: of its input only what answers is sent. */
function sizeOfAnswer({ input }: CreateRequest, waitingCalls: readonly { readonly call_id: string }[]): number {
  if (typeof input === "string") return 0;
  const waiting = new Set(waitingCalls.map((call) => call.call_id));
  let size = 0;
  for (const item of input) {
    if (item.type === "function_call_output" && waiting.has(item.callId)) size += outputSize(item.callId, item.output);
  }
  return size;
}

/** The items that the turn adds, and what is told of those that it ignores. */
function planInput(question: PlanQuestion): { items: readonly TurnInputItem[]; warnings: readonly Warning[] } {
  const { request, draft, history, entries, mint } = question;
  if (draft.userTurn !== null) return { items: planUserTurn(draft.userTurn, mint), warnings: [] };
  const answered = new Set<string>();
  for (const { item } of entries) if (item.type === "function_call_output") answered.add(item.call_id);
  const isAnswered = (callId: string) => answered.has(callId);
  const sent = typeof request.input === "string" ? [] : request.input;
  return readToolAnswer(sent, history?.latest?.waitingCalls ?? [], isAnswered, mint);
}

function contextOf(history: ContinuedHistory | null): TurnContext {
  return { isFirstTurn: history === null, holdsItem: (id) => history?.heldItemIds.has(id) ?? false };
}

/** Where the turn that is being continued starts among the entries; their number for a new user turn. */
function turnStart({ draft, history, entries }: PlanQuestion): number {
  if (draft.userTurn !== null) return entries.length;
  const head = history?.latest?.head;
  // Others may have come after it: items that a client added while the calls waited.
  const first = entries.findIndex(({ responseId }) => responseId === head?.turnId || responseId === head?.id);
  return Math.max(0, first);
}
