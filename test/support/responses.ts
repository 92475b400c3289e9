// Responses as values, for tests of pure code.
import assert from "node:assert/strict";
import { ApiError } from "../../src/contract/errors.ts";
import { ID_PREFIXES, type ItemId, type ResponseId } from "../../src/contract/ids.ts";
import type { Item } from "../../src/contract/items.ts";
import { SETTINGS, type Setting } from "../../src/contract/settings.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import { type HistoryItem, itemSize } from "../../src/core/history/history-item.ts";
import type { MintItemId } from "../../src/core/response/user-turn.ts";
import type { ResponseEnd, ResponseHead } from "../../src/core/response/response.ts";
import { NO_USAGE } from "../../src/contract/usage.ts";

/** Creates counting ids: msg_1, fc_2, … */
export function countingMint(): MintItemId {
  let count = 0;
  return (kind) => `${ID_PREFIXES[kind]}${++count}` as ItemId;
}

/** The ApiError that a function throws; anything else, also a return, fails the test. */
export function apiErrorOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return assert.fail("no ApiError was thrown");
}

/** Asserts a 400 about a field, and its message. */
export function assertInvalidInput(work: () => unknown, param: string | null, ...says: (string | RegExp)[]): void {
  const error = apiErrorOf(work);
  assert.deepEqual(
    { code: error.code, status: error.status, param: error.param },
    { code: "invalid_input", status: 400, param },
  );
  for (const words of says) {
    if (typeof words === "string") assert.ok(error.message.includes(words), `"${error.message}" says "${words}"`);
    else assert.match(error.message, words);
  }
}

/** A model that supports everything, unless given otherwise. */
export function modelOf(more: Partial<CatalogModel> = {}): CatalogModel {
  return {
    id: "test/all",
    provider: "test",
    upstreamModel: "all",
    settings: new Set<Setting>(SETTINGS),
    contextWindow: 100_000,
    maxOutputTokens: 8000,
    defaultOutputTokens: 2000,
    thinking: "none",
    forcedToolChoice: true,
    hasEndUserField: true,
    prices: { input: 0, cached_input: 0, cache_write: 0, output: 0 },
    ownedBy: "tests",
    created: 1_700_000_000,
    ...more,
  };
}

/** The record of a response whose request set nothing but a model. */
export function headOf(more: Partial<ResponseHead> = {}): ResponseHead {
  return {
    id: "resp_1",
    createdAt: 1_700_000_000,
    model: "test/all",
    previousResponseId: null,
    conversationId: null,
    turnId: "resp_1",
    instructions: null,
    maxOutputTokens: null,
    requestedMaxOutputTokens: null,
    maxToolCalls: null,
    metadata: null,
    parallelToolCalls: true,
    temperature: 1,
    topP: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    reasoning: null,
    safetyIdentifier: null,
    text: { format: { type: "text" }, verbosity: "medium" },
    toolChoice: "auto",
    tools: [],
    truncation: "disabled",
    includesEncryptedContent: false,
    usageBefore: NO_USAGE,
    warnings: [],
    ...more,
  };
}

/** A completed end without output. */
export function endOf(more: Partial<ResponseEnd> = {}): ResponseEnd {
  return {
    status: "completed",
    completedAt: 1_700_000_001,
    output: [],
    usage: NO_USAGE,
    error: null,
    incompleteReason: null,
    toolCallsDropped: 0,
    warnings: [],
    failure: null,
    providerState: null,
    ...more,
  };
}

export function userMessage(id: string, text: string): Item {
  return {
    type: "message",
    id,
    role: "user",
    status: "completed",
    content: [{ type: "input_text", text }],
  };
}

export function assistantMessage(id: string, text: string): Item {
  return {
    type: "message",
    id,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}

export function callItem(
  callId: string,
  name = "look_up",
  callArguments = "{}",
): Extract<Item, { type: "function_call" }> {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name,
    arguments: callArguments,
    status: "completed",
  };
}

export function outputItem(callId: string, output: string): Item {
  return { type: "function_call_output", id: `fco_${callId}`, call_id: callId, output, status: "completed" };
}

/** An item of a history. */
export function entryOf(item: Item, more: Partial<HistoryItem> = {}): HistoryItem {
  const responseId: ResponseId | null = null;
  return { item, responseId, opensTurn: false, carried: false, answers: null, size: itemSize(item), ...more };
}
