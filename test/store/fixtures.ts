// Fixtures of the store's tests: a manual clock, callers, responses and items.
import type { ConversationId, ItemId, ResponseId } from "../../src/contract/ids.ts";
import type { FunctionCall, FunctionCallOutput, Message, OutputItem } from "../../src/contract/items.ts";
import type { Usage } from "../../src/contract/resources.ts";
import { itemSize, type NewItem } from "../../src/core/history/history-item.ts";
import type { ResponseEnd, ResponseHead } from "../../src/core/response/response.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Caller } from "../../src/ports/store/histories.ts";
import { type NeedsRoom, needsRoom } from "../../src/ports/store/room.ts";
import type { BeginOutcome, Placement, ResponseBegin, ResponseSettle } from "../../src/ports/store/responses.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { TESTS } from "../support/actor.ts";
import { endOf as plainEnd, headOf as plainHead } from "../support/responses.ts";

/** 2026-01-01, milliseconds. */
export const START_MS = 1_767_225_600_000;

/** A clock that moves only when it is advanced. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
}

export function createManualClock(): ManualClock {
  let nowMs = START_MS;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after: () => () => {},
    advance: (milliseconds) => {
      nowMs += milliseconds;
    },
  };
}

/** An open store with its own clock, for a suite. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly close: () => Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

export const ACME: Caller = { organizationId: "org_acme", keyId: "key_acme" };
/** Another key of the same organization, and a key of another one: neither sees ACME's objects. */
export const ACME_OTHER_KEY: Caller = { organizationId: "org_acme", keyId: "key_acme_2" };
export const OTHER: Caller = { organizationId: "org_other", keyId: "key_other" };
export const STRANGERS = [
  ["another key of the organization", ACME_OTHER_KEY],
  ["a key of another organization", OTHER],
] as const;

/** Creates the organizations and keys of the callers above. */
export async function addCallers(store: Store): Promise<void> {
  for (const id of ["org_acme", "org_other"]) await store.createOrganization({ by: TESTS, id, name: id, createdAt: 1 });
  for (const caller of [ACME, ACME_OTHER_KEY, OTHER]) {
    const { organizationId, keyId } = caller;
    const key = { id: keyId, organizationId, memberId: null, name: keyId, permission: "all", revokedAt: null } as const;
    await store.createKey({
      by: TESTS,
      key: { ...key, createdAt: 1 },
      secret: { lookup: `look_${keyId}`, hash: `hash_${keyId}` },
    });
  }
}

let minted = 0;

function mintResponseId(): ResponseId {
  return `resp_${++minted}`;
}

export function mintConversationId(): ConversationId {
  return `conv_${++minted}`;
}

function mintItemId<Prefix extends string>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${++minted}`;
}

/** A user's message that opens a turn. */
export function says(text: string, over: Partial<NewItem> = {}): NewItem {
  const item: Message = {
    type: "message",
    id: mintItemId("msg"),
    role: "user",
    status: "completed",
    content: [{ type: "input_text", text }],
  };
  return { item, opensTurn: true, carried: false, answers: null, size: itemSize(item), ...over };
}

/** A model's message. */
export function answers(text: string): Message {
  return {
    type: "message",
    id: mintItemId("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}

/** A model's call. */
export function calls(callId: string): FunctionCall {
  return {
    type: "function_call",
    id: mintItemId("fc"),
    call_id: callId,
    name: "look",
    arguments: "{}",
    status: "completed",
  };
}

/** The output of a call, as input of the response that answers it. */
export function outputs(callId: string, answered: string | null = null): NewItem {
  const item: FunctionCallOutput = {
    type: "function_call_output",
    id: mintItemId("fco"),
    call_id: callId,
    output: `output of ${callId}`,
    status: "completed",
  };
  return { item, opensTurn: false, carried: false, answers: answered, size: itemSize(item) };
}

export function usage(input: number, output: number): Usage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: input + output,
  };
}

/** The head of a response with an id of its own. */
export function headOf(over: Partial<ResponseHead> = {}): ResponseHead {
  const id = over.id ?? mintResponseId();
  const createdAt = START_MS / 1000;
  const own = { id, turnId: id, createdAt, model: "acme/small", maxOutputTokens: 100, metadata: { label: "a" } };
  return plainHead({ ...own, ...over });
}

/** The end of a completed response that used 10 tokens of input and 20 of output. */
export function endOf(output: readonly OutputItem[], over: Partial<ResponseEnd> = {}): ResponseEnd {
  return plainEnd({ completedAt: START_MS / 1000 + 1, output, usage: usage(10, 20), ...over });
}

export function beginOf(head: ResponseHead, over: Partial<ResponseBegin> = {}): ResponseBegin {
  return {
    caller: ACME,
    head,
    status: "in_progress",
    placement: { kind: "new" },
    calls: null,
    streamed: false,
    claim: null,
    requestId: `req_of_${head.id}`,
    endUser: null,
    label: null,
    funds: null,
    ...over,
  };
}

export function settleOf(
  responseId: ResponseId,
  input: readonly NewItem[],
  end: ResponseEnd,
  entersHistory = end.status !== "failed",
): ResponseSettle {
  const output = end.output.map((item) => ({
    item,
    opensTurn: false,
    carried: false,
    answers: null,
    size: itemSize(item),
    listed: entersHistory,
  }));
  return { responseId, end, record: null, input, output, entersHistory };
}

/** Begins and settles a whole turn; returns its head. */
export async function runResponse(
  store: Store,
  turn: {
    input?: readonly NewItem[];
    output?: readonly OutputItem[];
    head?: Partial<ResponseHead>;
    begin?: Partial<ResponseBegin>;
    end?: Partial<ResponseEnd>;
  } = {},
): Promise<ResponseHead> {
  const head = headOf(turn.head);
  const outcome: BeginOutcome = await store.beginResponse(beginOf(head, turn.begin));
  if (outcome.kind !== "begun") throw new Error(`The turn was not begun: ${outcome.kind}`);
  const end = endOf(turn.output ?? [answers("fine")], turn.end);
  const isSettled = await store.settleResponse(settleOf(head.id, turn.input ?? [says("hello")], end));
  if (!isSettled) throw new Error("The turn was not settled.");
  return head;
}

/** The placement of a response that names a response, as the flows choose it. */
export async function placeAfter(store: Store, responseId: string, caller = ACME): Promise<Placement> {
  const found = await store.findContinuation({ caller, name: { by: "response", responseId, answeredCallIds: [] } });
  if (found === null) throw new Error(`There is nothing to continue at ${responseId}.`);
  const { view, isBranch } = found;
  return isBranch ? { kind: "branch", view } : { kind: "append", view, mayFork: true };
}

/** The placement of a response in a conversation. */
export async function placeIn(store: Store, conversationId: string): Promise<Placement> {
  const found = await store.findContinuation({
    caller: ACME,
    name: { by: "conversation", conversationId, answeredCallIds: [] },
  });
  if (found === null) throw new Error(`There is no conversation ${conversationId}.`);
  return { kind: "append", view: found.view, mayFork: false };
}

/** Creates a conversation of ACME's; returns its id. */
export async function makeConversation(store: Store, items: readonly NewItem[] = []): Promise<ConversationId> {
  const id = mintConversationId();
  await store.createConversation({
    caller: ACME,
    conversation: { id, createdAt: START_MS / 1000, metadata: {} },
    items,
    claim: null,
  });
  return id;
}

/** What a read without a limit of room has found. */
export function inRoom<Found>(found: Found | NeedsRoom): Found {
  if (needsRoom(found)) throw new Error(`the read needs room for ${found.bytes} bytes`);
  return found;
}

export function idsOf(items: readonly { readonly item: { readonly id: string } }[]): ItemId[] {
  return items.map(({ item }) => item.id as ItemId);
}
