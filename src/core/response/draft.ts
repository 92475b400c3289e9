// The first half of planning, before any item of the history is read: what the request says whichever model runs it
// (opened), then model, settings, tools and fit (drafted). A model with targets is drafted for each that is tried.
// @spec endpoints/post-responses
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import { outputSize } from "../history/history-item.ts";
import type { Catalog, CatalogModel } from "../models/catalog.ts";
import { chooseModel } from "../models/policy.ts";
import type { ContinuedHistory, OpenedPlan, PlanDraft, PlanInput } from "./planning.ts";
import { tokensAfter } from "./prompt-tokens.ts";
import { type CreateRequest, type ToolFields, resolveField } from "./request.ts";
import type { ResponseHead, WaitingCallsAction } from "./response.ts";
import { checkSettings, checkToolChoice } from "./settings.ts";
import {
  assertNoCallsWaiting,
  assertNotBeingAnswered,
  callsByOutput,
  continuesTurn,
  type KnownCalls,
  knownCalls,
  listAnswered,
  sizeOfTextsBehind,
} from "./tool-outputs.ts";
import { readUserTurn, sizeOfUserTurn, type UserTurnContext } from "./user-turn.ts";
import { type FitInput, windowToRead } from "./window.ts";

/**
 * The input, its tools and its model, from the request and the end of the history. Throws 400 (`invalid_input` with the
 * field as param, `model_policy_violation`).
 */
export function openPlan(input: PlanInput, catalog: Catalog): OpenedPlan {
  const { request, history, policy } = input;
  const latest = history?.latest ?? null;
  assertFinished(request, latest);
  const known = knownCalls(history);
  const answers = history !== null && continuesTurn(request.input, known);
  const drops = !answers && (request.unansweredCalls ?? policy.unansweredCalls) === "drop";
  if (answers) assertNotBeingAnswered(request.input, known);
  else if (!drops) assertNoCallsWaiting(known.waiting);
  const userTurn = answers ? null : readUserTurn(request.input, contextOf(history));
  const tools = answers && latest !== null ? inheritTools(latest.head, request) : resolveField(request.toolFields);
  // Tool outputs continue the turn that made the calls, whichever response is named.
  const carried = answers ? (latest?.head ?? null) : (history?.carried ?? null);
  return {
    ...input,
    model: chooseModel(request.model ?? carried?.model ?? null, catalog, policy),
    userTurn,
    calls: answers ? answerCalls(request, known) : drops ? { kind: "drop" } : null,
    tools,
    requestedMaxOutputTokens: request.requestedMaxOutputTokens ?? carried?.requestedMaxOutputTokens ?? null,
  };
}

/**
 * Settings and fit, for a model or one of its targets. Throws 400 (`invalid_input` with the field as param,
 * `context_length_exceeded`).
 */
export function draftPlan(opened: OpenedPlan, model: CatalogModel = opened.model): PlanDraft {
  const { request, history, userTurn, tools, requestedMaxOutputTokens } = opened;
  const known = knownCalls(history);
  const settings = checkSettings(request, model);
  checkToolChoice(tools.toolChoice, model);
  const includesEncryptedContent = resolveField(request.includesEncryptedContent, model.id);
  const maxOutputTokens =
    requestedMaxOutputTokens === null ? null : Math.min(requestedMaxOutputTokens, model.maxOutputTokens);
  const frame = {
    model,
    maxOutputTokens: maxOutputTokens ?? model.defaultOutputTokens,
    sentSize:
      (userTurn === null ? sizeOfOutputs(request, known) : sizeOfUserTurn(userTurn)) +
      countCharacters(request.instructions ?? ""),
  };
  const fit: FitInput = {
    ...frame,
    truncation: request.truncation,
    tokens: request.truncation === "auto" ? tokensAfter(history?.latest ?? null, frame) : null,
    historySize: history?.size ?? 0,
    continued: userTurn === null ? listAnswered(request.input, known) : [],
  };
  return { ...opened, model, settings, maxOutputTokens, includesEncryptedContent, fit, ...windowToRead(fit) };
}

/** A request sends outputs for all waiting calls of a response or for none (readToolOutputs). */
function answerCalls({ input }: CreateRequest, known: KnownCalls): WaitingCallsAction {
  const of = listAnswered(input, known).map(({ madeBy, calls }) => {
    return { madeBy, callIds: calls.map((call) => call.call_id) };
  });
  return { kind: "answer", of };
}

/** docs/wire.md (History): a running response can't be continued yet, one that failed or left no trace never. */
function assertFinished(request: CreateRequest, latest: ContinuedHistory["latest"]): void {
  if (latest === null || request.previousResponseId === null) return;
  const field = "previous_response_id";
  if (latest.status === "queued" || latest.status === "in_progress") {
    throw invalidInput(field, `${field} names a response that is still ${latest.status}: wait until it has finished.`);
  }
  if (latest.status === "failed") {
    throw invalidInput(field, `${field} names a response that failed: continue from the one before it.`);
  }
  if (!latest.hasEntered) {
    throw invalidInput(
      field,
      `${field} names a response that was cancelled without its input: continue from the one before it, and send the input again.`,
    );
  }
}

/**
 * The fields that tool outputs inherit from their turn. `user` is never stored, so each request sends its own;
 * beside the turn's safety_identifier it is irrelevant, even if invalid.
 */
function inheritTools(head: ResponseHead, request: CreateRequest): ToolFields {
  const { tools, toolChoice, maxToolCalls, safetyIdentifier } = head;
  const user = safetyIdentifier === null ? resolveField(request.user) : null;
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

function contextOf(history: ContinuedHistory | null): UserTurnContext {
  return { isFirstTurn: (history?.latest ?? null) === null, holdsItem: (id) => history?.heldItemIds.has(id) ?? false };
}
