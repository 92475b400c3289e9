// A turn is planned as a value, then run: everything that can be decided before it begins is decided here, or refused.
// @spec endpoints/post-responses
import { invalidInput, Refusal } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Warning } from "../../contract/resources.ts";
import { REASONING_EFFORTS } from "../../contract/settings.ts";
import type { Catalog, CatalogModel } from "../catalog.ts";
import { countCharacters, type HistoryItem } from "../history/history-item.ts";
import type { CreateRequest } from "../reading/create-body.ts";
import { readIncludeOfCreate } from "../reading/include-list.ts";
import { readToolFields, readUser, type ToolFields } from "../reading/tool-fields.ts";
import {
  type MintItemId,
  planUserTurn,
  readUserTurn,
  type TurnContext,
  type TurnInputItem,
  type UserTurn,
} from "./first-turn.ts";
import type { Prompt } from "./prompt.ts";
import { toPromptItems } from "./prompt-items.ts";
import { checkSettings, checkToolChoice } from "./settings.ts";
import { isToolAnswer, readToolAnswer, refuseWhileWaiting } from "./tool-answer.ts";
import { toolCap } from "./tool-cap.ts";
import type { TurnHead } from "./turn.ts";
import { addUsage, NO_USAGE } from "./usage.ts";
import { truncate, type WindowQuestion, windowToRead } from "./window.ts";

/** What of a continued history the first half of planning needs: its end. */
export interface ContinuedHistory {
  readonly size: number;
  readonly turns: number;
  /** The last response in it; null in a conversation without one. */
  readonly latest: {
    readonly head: TurnHead;
    readonly status: string;
    readonly usage: TurnHead["usageBefore"];
    readonly waitingCalls: readonly Extract<HistoryItem["item"], { type: "function_call" }>[];
    readonly states: readonly { readonly responseId: ResponseId; readonly state: unknown }[];
  } | null;
  /** Which of the item ids that the input references the history holds. */
  readonly heldItemIds: ReadonlySet<string>;
}

export interface PlanPolicy {
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
  readonly toolCallsPerTurn: number | null;
}

/** What planning knows before the history itself is read, and how much of that to read. */
export interface PlanDraft {
  readonly model: CatalogModel;
  /** The checked input of a user turn; null for a tool answer. */
  readonly userTurn: UserTurn | null;
  readonly tools: ToolFields;
  readonly requestedMaxOutputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly includesEncryptedContent: boolean;
  readonly window: WindowQuestion;
  /** Characters of history to read, from its end; 0: nothing to read. */
  readonly sizeMax: number;
  readonly truncates: boolean;
}

/** A turn ready to begin. */
export interface Plan {
  readonly head: TurnHead;
  readonly model: CatalogModel;
  readonly prompt: Prompt;
  readonly input: readonly TurnInputItem[];
  /** Whether the input opens a turn; a tool answer belongs to the turn it answers. */
  readonly opensTurn: boolean;
  /** Tool calls that the response may make. */
  readonly callsMax: number;
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
  checkSettings(request.settings, model);
  checkToolChoice(tools.toolChoice, model);
  const includesEncryptedContent = readIncludeOfCreate(request.include, model.id);
  const requestedMaxOutputTokens = request.requestedMaxOutputTokens ?? latest?.head.requestedMaxOutputTokens ?? null;
  const maxOutputTokens =
    requestedMaxOutputTokens === null ? null : Math.min(requestedMaxOutputTokens, model.maxOutputTokens);
  const window: WindowQuestion = {
    model,
    maxOutputTokens: maxOutputTokens ?? model.defaultOutputTokens,
    truncation: request.truncation,
    sentSize: sizeOfInput(request, answers ? waitingCalls : null) + countCharacters(request.instructions ?? ""),
    historySize: history?.size ?? 0,
  };
  const { sizeMax, truncates } = windowToRead(window);
  return {
    model,
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

export interface PlanQuestion {
  readonly request: CreateRequest;
  readonly draft: PlanDraft;
  readonly history: ContinuedHistory | null;
  /** The end of the history, oldest first, as much of it as the draft asked for. */
  readonly entries: readonly HistoryItem[];
  readonly policy: PlanPolicy;
  readonly id: ResponseId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly endUserHash: (endUser: string) => string;
  readonly mint: MintItemId;
}

/** The second half: the turn's items, what of the history is sent, the prompt, and what the response will echo. */
export function planTurn(question: PlanQuestion): Plan {
  const { request, draft, history, entries } = question;
  const { items: input, warnings } = readInput(question);
  const kept = draft.truncates ? truncate(entries, turnStart(question), draft.window) : entries;
  const head = planHead(question, [...warnings, ...truncationWarning(draft, history, kept), ...endUserWarning(draft)]);
  const endUser = draft.tools.safetyIdentifier ?? draft.tools.user;
  const { settings } = request;
  const latest = history?.latest ?? null;
  const rounds =
    draft.userTurn === null && latest !== null && latest.head.model === draft.model.id ? latest.states : [];
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
  return {
    head,
    model: draft.model,
    prompt,
    input,
    opensTurn: draft.userTurn !== null,
    callsMax: toolCap(head.maxToolCalls, question.policy.toolCallsPerTurn, head.parallelToolCalls),
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
  return { tools, toolChoice, maxToolCalls, safetyIdentifier, user: readUser(request.body) };
}

function chooseModel(name: string | null, catalog: Catalog, policy: PlanPolicy): CatalogModel {
  if (name === null) throw invalidInput("model", "model is required on the first turn of a conversation.");
  const model = catalog.find(name);
  if (model === undefined) {
    throw invalidInput(
      "model",
      `The model ${JSON.stringify(name.slice(0, 128))} is not in the catalog: see GET /v1/models.`,
    );
  }
  const isAllowed = policy.allowModels === null || policy.allowModels.includes(model.id);
  if (!isAllowed || policy.denyModels.includes(model.id)) {
    throw new Refusal("model_policy_violation", `Your organization's policy does not allow the model ${model.id}.`, {
      param: "model",
    });
  }
  return model;
}

/** Characters that the input counts towards the window, before its items exist; of a tool answer only what answers is sent. */
function sizeOfInput(request: CreateRequest, answered: readonly { readonly call_id: string }[] | null): number {
  if (typeof request.input === "string") return countCharacters(request.input);
  let size = 0;
  for (const item of request.input) {
    if (item.type === "function_call_output") {
      const isSent = answered === null || answered.some((call) => call.call_id === item.callId);
      if (isSent) size += countCharacters(item.output);
    } else if (answered !== null) continue;
    else if (item.type === "function_call") size += countCharacters(item.name) + countCharacters(item.arguments);
    else if (item.type === "message") {
      if (typeof item.content === "string") size += countCharacters(item.content);
      else for (const part of item.content) size += countCharacters(part.text);
    }
  }
  return size;
}

function readInput(question: PlanQuestion): { items: readonly TurnInputItem[]; warnings: readonly Warning[] } {
  const { request, draft, history, entries, mint } = question;
  if (draft.userTurn !== null) return { items: planUserTurn(draft.userTurn, mint), warnings: [] };
  const isAnswered = (callId: string) =>
    entries.some(({ item }) => item.type === "function_call_output" && item.call_id === callId);
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
  const start = entries.findLastIndex((entry, index) => entry.opensTurn && index <= first);
  return Math.max(0, start);
}

function planHead(question: PlanQuestion, warnings: readonly Warning[]): TurnHead {
  const { request, draft, history, id } = question;
  const { settings } = request;
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
    reasoning: reportReasoning(draft.model),
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

/** What of the model's thinking applied; null for a model that does not think. */
function reportReasoning(model: CatalogModel): TurnHead["reasoning"] {
  const { thinking } = model;
  if (thinking === "none") return null;
  if ("budgetTokens" in thinking) return { effort: null, summary: null };
  return { effort: REASONING_EFFORTS.find((effort) => effort === thinking.effort) ?? null, summary: null };
}

function truncationWarning(
  draft: PlanDraft,
  history: ContinuedHistory | null,
  kept: readonly HistoryItem[],
): Warning[] {
  if (!draft.truncates || history === null) return [];
  const dropped = history.turns - kept.filter((entry) => entry.opensTurn).length;
  return [
    {
      code: "truncated",
      message: `${dropped} ${dropped === 1 ? "turn was" : "turns were"} dropped from the start of the history to fit the context window.`,
      param: "truncation",
    },
  ];
}

function endUserWarning(draft: PlanDraft): Warning[] {
  if (draft.tools.safetyIdentifier === null || draft.model.hasEndUserField) return [];
  return [
    {
      code: "safety_identifier_not_sent",
      message: `The provider of ${draft.model.id} has no field for an end user: safety_identifier was not sent.`,
      param: "safety_identifier",
    },
  ];
}
