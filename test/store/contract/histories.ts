// Contract: after any script of responses, branches, additions and deletions, the store reads like a simple model that
// copies every history.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../../src/contract/ids.ts";
import type { NewItem } from "../../../src/core/history/history-item.ts";
import type { Placement } from "../../../src/ports/store/responses.ts";
import {
  ACME,
  answers,
  beginOf,
  endOf,
  headOf,
  idsOf,
  makeConversation,
  placeAfter,
  placeIn,
  says,
  settleOf,
} from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

const SEEDS = 12;
const STEPS = 60;

/** A thread of the model: a copy of the shared items, and its own. */
interface ModelThread {
  readonly shared: readonly ModelItem[];
  readonly own: ModelItem[];
  readonly responses: ModelResponse[];
}

interface ModelItem {
  readonly id: string;
  readonly size: number;
  readonly opensTurn: boolean;
  /** Null: a client added it. */
  readonly response: ModelResponse | null;
  isDeleted: boolean;
}

interface ModelResponse {
  readonly id: ResponseId;
  thread: ModelThread | null;
  /** Items of its thread up to its own last one. */
  end: number;
  isDeleted: boolean;
}

/** A running response: the history that it saw decides where its items end up. */
interface Running {
  readonly response: ModelResponse;
  readonly thread: ModelThread;
  readonly seen: number | null;
  readonly input: NewItem;
}

/** A pseudo-random generator by seed. */
function createDice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % sides;
  };
}

/** The items of a thread that a reader sees up to one of its own. */
function visible(thread: ModelThread, end: number): ModelItem[] {
  return [...thread.shared, ...thread.own.slice(0, end)].filter(({ isDeleted }) => !isDeleted);
}

function latestOf(thread: ModelThread): ModelResponse | undefined {
  return thread.responses.findLast(({ isDeleted }) => !isDeleted);
}

export const testHistories = describeStore("histories", (suite) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`script ${seed} reads like its model`, () => runScript(suite, seed));
  }
});

async function runScript({ store }: Suite, seed: number): Promise<void> {
  const dice = createDice(seed);
  const conversationId = await makeConversation(store);
  const conversation: ModelThread = { shared: [], own: [], responses: [] };
  const responses: ModelResponse[] = [];
  const running: Running[] = [];
  const live = () => responses.filter(({ isDeleted }) => !isDeleted);
  const pick = <T>(from: readonly T[]): T | undefined => from[dice(Math.max(1, from.length))];

  const begin = async (placement: Placement, thread: ModelThread, seen: number | null): Promise<void> => {
    const head = headOf();
    assert.deepEqual(await store.beginResponse(beginOf(head, { placement })), { kind: "begun" });
    const response = { id: head.id, thread: null, end: 0, isDeleted: false };
    running.push({ response, thread, seen, input: says("q".repeat(1 + dice(9))) });
  };
  const steps = [
    () => begin({ kind: "new" }, { shared: [], own: [], responses: [] }, null),
    async () => begin(await placeIn(store, conversationId), conversation, null),
    async () => {
      const named = pick(live());
      if (named?.thread == null) return;
      const { thread } = named;
      const placement = await placeAfter(store, named.id);
      assert.equal(placement.kind, latestOf(thread) === named ? "append" : "branch");
      if (placement.kind === "append") await begin(placement, thread, thread.own.length);
      else await begin(placement, { shared: visibleAndDeleted(named), own: [], responses: [] }, null);
    },
    async () => {
      const [turn] = running.splice(dice(Math.max(1, running.length)), 1);
      if (turn === undefined) return;
      const output = [answers("a".repeat(dice(7))), answers("b")].slice(dice(2));
      const settle = settleOf(turn.response.id, [turn.input], endOf(output));
      assert.ok(await store.settleResponse(settle));
      const { seen } = turn;
      const forks = seen !== null && turn.thread.responses.some(({ end }) => end > seen);
      const thread = forks
        ? { shared: [...turn.thread.shared, ...turn.thread.own.slice(0, seen)], own: [], responses: [] }
        : turn.thread;
      for (const { item, size, opensTurn } of [...settle.input, ...settle.output]) {
        thread.own.push({ id: item.id, size, opensTurn, response: turn.response, isDeleted: false });
      }
      thread.responses.push(turn.response);
      Object.assign(turn.response, { thread, end: thread.own.length });
      responses.push(turn.response);
    },
    async () => {
      const items = [says("added"), says("x")].slice(dice(2));
      await store.addItems({ caller: ACME, conversationId, items, claim: null });
      for (const { item, size, opensTurn } of items) {
        conversation.own.push({ id: item.id, size, opensTurn, response: null, isDeleted: false });
      }
    },
    async () => {
      const response = pick(live());
      if (response?.thread == null || dice(2) === 0) return;
      assert.equal(await store.deleteResponse({ caller: ACME, responseId: response.id }), true);
      response.isDeleted = true;
      for (const item of response.thread.own) if (item.response === response) item.isDeleted = true;
    },
    async () => {
      const item = pick(conversation.own);
      if (item === undefined) return;
      const answer = await store.deleteItem({ caller: ACME, conversationId, itemId: item.id });
      assert.equal(answer.kind, item.isDeleted ? "missing" : item.response === null ? "deleted" : "of_response");
      if (item.response === null) item.isDeleted = true;
    },
  ];
  for (let step = 0; step < STEPS; step++) await steps[dice(steps.length)]!();

  const compare = async (name: Parameters<typeof store.findContinuation>[0]["name"], expected: ModelItem[]) => {
    const found = await store.findContinuation({ caller: ACME, name });
    assert.ok(found !== null);
    const { items } = await store.readWindow({ itemsMax: 1e6, view: found.view, sizeMax: 1e9 });
    assert.deepEqual(
      idsOf(items),
      expected.map(({ id }) => id),
    );
    assert.equal(
      found.view.size,
      expected.reduce((sum, { size }) => sum + size, 0),
    );
    assert.equal(found.view.turns, expected.filter(({ opensTurn }) => opensTurn).length);
    return found;
  };
  for (const response of live()) {
    const { thread } = response;
    assert.ok(thread !== null);
    const end = latestOf(thread) === response ? thread.own.length : response.end;
    const name = { by: "response", responseId: response.id, answeredCallIds: [] } as const;
    const found = await compare(name, visible(thread, end));
    assert.equal(found.latest?.head.id, response.id);
  }
  const found = await compare(
    { by: "conversation", conversationId, answeredCallIds: [] },
    visible(conversation, conversation.own.length),
  );
  assert.equal(found.latest?.head.id, latestOf(conversation)?.id);
  const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 500 });
  assert.ok(page.kind === "page");
  assert.deepEqual(
    page.items.map((item) => item.readable && item.id),
    visible(conversation, conversation.own.length).map(({ id }) => id),
  );
}

/** The items that a branch after a response shares, deleted ones included: later deletions reach both sides. */
function visibleAndDeleted({ thread, end }: ModelResponse): ModelItem[] {
  return thread === null ? [] : [...thread.shared, ...thread.own.slice(0, end)];
}
