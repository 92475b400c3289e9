// Turns as values: what the pure rooms are tested with, no service needed.
import assert from "node:assert/strict";
import { Refusal } from "../../src/contract/errors.ts";
import { ID_PREFIXES, type ItemId, type ResponseId } from "../../src/contract/ids.ts";
import type { Item } from "../../src/contract/items.ts";
import { SETTINGS, type Setting } from "../../src/contract/settings.ts";
import type { CatalogModel } from "../../src/core/catalog.ts";
import { type HistoryItem, itemSize } from "../../src/core/history/history-item.ts";
import type { MintItemId } from "../../src/core/turn/first-turn.ts";
import type { TurnEnd, TurnHead } from "../../src/core/turn/turn.ts";
import { NO_USAGE } from "../../src/core/turn/usage.ts";

/** Ids that count: msg_1, fc_2, … */
export function countingMint(): MintItemId {
  let count = 0;
  return (kind) => `${ID_PREFIXES[kind]}${++count}` as ItemId;
}

/** The refusal that a function throws; anything else, a return too, fails the test. */
export function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return assert.fail("nothing was refused");
}

/** Asserts a 400 about a field, and what its sentence says. */
export function assertRefuses(work: () => unknown, param: string | null, ...says: (string | RegExp)[]): void {
  const refusal = refusalOf(work);
  assert.deepEqual(
    { code: refusal.code, status: refusal.status, param: refusal.param },
    { code: "invalid_input", status: 400, param },
  );
  for (const words of says) {
    if (typeof words === "string") assert.ok(refusal.message.includes(words), `"${refusal.message}" says "${words}"`);
    else assert.match(refusal.message, words);
  }
}

/** A model that takes everything, unless told otherwise. */
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

/** A head of which nothing was asked but a model. */
export function headOf(more: Partial<TurnHead> = {}): TurnHead {
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

/** An end that completed with nothing. */
export function endOf(more: Partial<TurnEnd> = {}): TurnEnd {
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

export function answerMessage(id: string, text: string): Item {
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

/** An item as a history holds it. */
export function entryOf(item: Item, more: Partial<HistoryItem> = {}): HistoryItem {
  const responseId: ResponseId | null = null;
  return { item, responseId, opensTurn: false, carried: false, size: itemSize(item), ...more };
}
