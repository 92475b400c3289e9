import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Truncation } from "../../contract/settings.ts";
import { callItem, entryOf, modelOf, apiErrorOf, outputItem, userMessage } from "../../../test/support/responses.ts";
import type { HistoryItem } from "../history/history-item.ts";
import {
  type ContinuedPart,
  fitHistory,
  furtherSize,
  HISTORY_ITEMS_MAX,
  type HistoryWindow,
  usableTokens,
  type FitInput,
  windowToRead,
} from "./window.ts";

/** Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters. */
const SMALL = modelOf({ contextWindow: 3000 });
const ask = (
  sentSize: number,
  historySize: number,
  truncation: Truncation = "disabled",
  continued: ContinuedPart | null = null,
): FitInput => ({
  model: SMALL,
  maxOutputTokens: 100,
  truncation,
  sentSize,
  historySize,
  continued: continued === null ? [] : [continued],
  tokens: null,
});

/** Turns of one response each. */
function history(turns: readonly (readonly number[])[]): HistoryItem[] {
  return turns.flatMap((sizes, turn) =>
    sizes.map((size, place) =>
      entryOf(userMessage(`msg_${turn}_${place}`, ""), { opensTurn: place === 0, size, responseId: `resp_${turn}` }),
    ),
  );
}

const round = (turn: number): ContinuedPart => ({ turnId: `resp_${turn}`, firstRound: `resp_${turn}` });

const whole = (items: readonly HistoryItem[], more: Partial<HistoryWindow> = {}): HistoryWindow => ({
  items,
  isWhole: true,
  laterRounds: new Map(),
  unreadable: 0,
  ...more,
});

/** The part of a history that a store reads: from the end, up to and including the item that crosses the size. */
function readOf(items: readonly HistoryItem[], sizeMax: number, more: Partial<HistoryWindow> = {}): HistoryWindow {
  let from = items.length;
  let size = 0;
  while (from > 0 && size <= sizeMax) size += items[--from]?.size ?? 0;
  return whole(items.slice(from), { isWhole: size <= sizeMax, ...more });
}

/** The items of a history that are sent, read as the service reads it: again while that may bring more. */
function sentOf(items: readonly HistoryItem[], input: FitInput, more: Partial<HistoryWindow> = {}) {
  let { sizeMax } = windowToRead(input);
  let window = readOf(items, sizeMax, more);
  for (let size = furtherSize(sizeMax, window, input); size !== null; size = furtherSize(sizeMax, window, input)) {
    sizeMax = size;
    window = readOf(items, sizeMax, more);
  }
  return fitHistory(window, [], input);
}

for (const [window, output, usable] of [
  [3000, 100, 885],
  [3000, 16, 981],
  [100_000, 8000, 88_800],
  [100_000, 0, 98_000],
  // 15 percent of 33 is 4.95: rounded up, so that the estimate errs on the safe side.
  [10_000, 33, 7962],
  [2000, 100, 0],
] as const) {
  test(`a window of ${window} with an output of ${output} has ${usable} usable tokens`, () => {
    assert.equal(usableTokens(modelOf({ contextWindow: window }), output), usable);
  });
}

test("a history that fits is read whole", () => {
  for (const truncation of ["disabled", "auto"] as const) {
    assert.deepEqual(windowToRead(ask(40, 3500, truncation)), { sizeMax: 3500, wholeFits: true });
  }
});

test("with disabled one character too many is an error, param null", () => {
  const refusal = apiErrorOf(() => sentOf(history([[3500]]), ask(41, 3500)));
  assert.deepEqual([refusal.code, refusal.status, refusal.param], ["context_length_exceeded", 400, null]);
  assert.match(refusal.message, /886 tokens; 885 fit .* test\/all .* set truncation to auto, or send less/);
});

test("as much is read as may still be sent", () => {
  for (const truncation of ["disabled", "auto"] as const) {
    assert.deepEqual(windowToRead(ask(41, 3500, truncation)), { sizeMax: 3499, wholeFits: false });
  }
});

/** A history of one short message before a call that is never sent. */
const behindCall = (size: number): HistoryItem[] => [
  entryOf(userMessage("msg_1", ""), { opensTurn: true, size: 100 }),
  entryOf(callItem("a"), { opensTurn: false, size }),
];

for (const truncation of ["disabled", "auto"] as const) {
  test(`with ${truncation} a history is sent whose calls without outputs are longer than the window, however long`, () => {
    for (const size of [10_000, 1_200_000, 5_000_000, 16_000_000]) {
      const items = behindCall(size);
      assert.deepEqual(sentOf(items, ask(40, size + 100, truncation)), items);
    }
  });
}

test("a history is read up to 16 Mi characters, or twice the window where that is more", () => {
  const sizesOf = (input: FitInput) => {
    const sizes: number[] = [];
    let size: number | null = windowToRead(input).sizeMax;
    for (; size !== null; size = furtherSize(size, readOf(behindCall(1e12), size), input)) sizes.push(size);
    return sizes;
  };
  assert.deepEqual(sizesOf(ask(40, 1e12)), [3500, 1_055_576, 3_159_728, 7_368_032, 15_784_640, 16_777_216]);
  const wide = { ...ask(0, 1e12), model: modelOf({ contextWindow: 10_002_115 }) };
  assert.deepEqual(sizesOf(wide), [40_000_000, 81_048_576]);
});

test("an input that does not fit alone is an error, which does not advise auto", () => {
  for (const truncation of ["disabled", "auto"] as const) {
    assert.equal(windowToRead(ask(3540, 1, truncation)).wholeFits, false);
    const refusal = apiErrorOf(() => windowToRead(ask(3541, 1, truncation)));
    assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
    assert.match(refusal.message, /: send less\.$/);
  }
});

test("the oldest whole turns are dropped until another 10 percent is free", () => {
  // 796 tokens, 3,184 characters, may stay: the sent turn's 1,000 and two turns of 1,000.
  const entries = history([
    [500, 500],
    [500, 500],
    [500, 500],
  ]);
  assert.deepEqual(fitHistory(whole(entries), [], ask(1000, 3000, "auto")), entries.slice(2));
  assert.deepEqual(fitHistory(whole(entries), [], ask(1184, 3000, "auto")), entries.slice(2));
  assert.deepEqual(fitHistory(whole(entries), [], ask(1185, 3000, "auto")), entries.slice(4));
});

test("the continued turn stays even without 10 percent free, and is an error when it does not fit", () => {
  const entries = history([[100], [1000, 1000]]);
  assert.deepEqual(fitHistory(whole(entries), [], ask(1540, 2100, "auto", round(1))), entries.slice(1));
  for (const truncation of ["auto", "disabled"] as const) {
    const refusal = apiErrorOf(() => fitHistory(whole(entries), [], ask(1541, 2100, truncation, round(1))));
    assert.equal(refusal.code, "context_length_exceeded");
    assert.match(refusal.message, /does not fit by itself\.$/);
  }
});

test("all rounds of the continued turn stay, also when it is older than turns that are dropped", () => {
  const [opening, other, last] = [history([[500]]), history([[], [2000]]), history([[], [], [500]])];
  const entries = [...opening, ...other, ...last];
  const laterRounds = new Map([["resp_2", "resp_0"]] as const);
  const kept = sentOf(entries, ask(1000, 3000, "auto", round(0)), { laterRounds });
  assert.deepEqual(kept, [...opening, ...last]);
});

test("what is never sent does not count: calls without an output, and outputs without a call", () => {
  const ofTurn = (turn: number) => ({ responseId: `resp_${turn}` }) as const;
  const orphans = [
    entryOf(outputItem("gone", "o".repeat(9000)), ofTurn(1)),
    entryOf(callItem("open", "look_up", "a".repeat(9000)), ofTurn(1)),
  ];
  const entries = [...history([[1000], [500]]), ...orphans, ...history([[], [], [500]])];
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  for (const truncation of ["disabled", "auto"] as const) {
    assert.deepEqual(sentOf(entries, ask(1540, size, truncation)), entries);
  }
  assert.match(apiErrorOf(() => sentOf(entries, ask(1541, size))).message, /needs about 886 tokens/);
  assert.deepEqual(sentOf(entries, ask(1541, size, "auto")), entries.slice(1));
});

/** Interleaved turns: each entry is an item of one of them, and begins a further response of it or not. */
const drawnItems = fc.array(
  fc.record({
    turn: fc.nat({ max: 5 }),
    size: fc.nat({ max: 900 }),
    isLaterRound: fc.boolean(),
    isDeleted: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
  }),
  { maxLength: 16 },
);

/** The history of drawn items, and the turn of each response. */
function interleaved(drawn: readonly { turn: number; size: number; isLaterRound: boolean; isDeleted: boolean }[]) {
  const items: HistoryItem[] = [];
  const laterRounds = new Map<ResponseId, ResponseId>();
  const turnOf = new Map<HistoryItem, ResponseId>();
  const deleted = new Set<ResponseId>();
  const latest = new Map<number, ResponseId>();
  const opened = new Set<ResponseId>();
  for (const [at, { turn, size, isLaterRound, isDeleted }] of drawn.entries()) {
    const before = drawn[at - 1]?.turn === turn ? latest.get(turn) : undefined;
    const turnId: ResponseId = `resp_${turn}`;
    // The items of a response are adjacent: one that comes later is of a further response.
    const responseId =
      before !== undefined && !isLaterRound ? before : latest.has(turn) ? (`resp_${turn}_${at}` as const) : turnId;
    if (responseId !== turnId) laterRounds.set(responseId, turnId);
    latest.set(turn, responseId);
    if (isDeleted) deleted.add(responseId);
    items.push(entryOf(userMessage(`msg_${at}`, ""), { responseId, size }));
  }
  const living = items
    .filter(({ responseId }) => responseId !== null && !deleted.has(responseId))
    .map((item) => {
      const turnId = laterRounds.get(item.responseId ?? "resp_") ?? item.responseId ?? "resp_";
      // The first item that a turn has left opens it.
      const opening = { ...item, opensTurn: !opened.has(turnId) };
      opened.add(turnId);
      turnOf.set(opening, turnId);
      return opening;
    });
  return { items: living, laterRounds, turnOf };
}

test("whole turns: of any history only whole turns are dropped, the oldest first, never the one that is continued", () => {
  fc.assert(
    fc.property(drawnItems, fc.nat({ max: 3600 }), fc.option(fc.nat({ max: 5 })), (drawn, sentSize, answered) => {
      const { items, laterRounds, turnOf } = interleaved(drawn);
      const turns = [...new Set(items.map((item) => turnOf.get(item)))];
      const sizeOf = (turnId: ResponseId | undefined) =>
        items.filter((item) => turnOf.get(item) === turnId).reduce((sum, item) => sum + item.size, 0);
      const turnId = turns.find((each) => each === `resp_${answered}`);
      const firstRound = items.find((item) => turnOf.get(item) === turnId)?.responseId ?? null;
      const continued = turnId === undefined || firstRound === null ? null : { turnId, firstRound };
      const historySize = items.reduce((sum, entry) => sum + entry.size, 0);
      const least = sentSize + (continued === null ? 0 : sizeOf(turnId));
      const question = ask(sentSize, historySize, "auto", continued);
      let kept: readonly HistoryItem[];
      try {
        kept = sentOf(items, question, { laterRounds });
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === "context_length_exceeded");
        assert.ok(estimateTokens(least) > 885, "only what can't fit is rejected");
        return;
      }
      const keptTurns = turns.filter((each) => kept.some((item) => turnOf.get(item) === each));
      const expected = items.filter((item) => keptTurns.includes(turnOf.get(item)));
      assert.deepEqual(kept, expected, "whole turns, in their order");
      assert.ok(continued === null || keptTurns.includes(turnId), "never the turn being continued");
      const others = turns.filter((each) => each !== turnId);
      const keptOthers = keptTurns.filter((each) => each !== turnId);
      assert.deepEqual(keptOthers, others.slice(others.length - keptOthers.length), "the oldest went");
      const size = kept.reduce((sum, entry) => sum + entry.size, sentSize);
      assert.ok(estimateTokens(size) <= 885, "what stays fits");
      if (keptOthers.length === others.length) return;
      assert.ok(keptOthers.length === 0 || estimateTokens(size) <= 796, "10 percent more is free");
      // Of turns that ran at once, one may begin before what was read.
      if (laterRounds.size > 0) return;
      const more = size + sizeOf(others[others.length - keptOthers.length - 1]);
      assert.ok(estimateTokens(more) > 796, "no turn went that could stay");
    }),
    { numRuns: 1000 },
  );
});

test("a turn sends at most so many items, whatever their size: more are an error, or the oldest turns are dropped", () => {
  // Turns of three items each.
  const items = history(Array.from({ length: HISTORY_ITEMS_MAX / 2 }, () => [0, 0, 0]));
  const read = (count: number) => whole(items.slice(items.length - count), { isWhole: false });
  assert.equal(fitHistory(whole(items.slice(0, HISTORY_ITEMS_MAX)), [], ask(0, 0)).length, HISTORY_ITEMS_MAX);
  const refusal = apiErrorOf(() => fitHistory(read(HISTORY_ITEMS_MAX + 1), [], ask(0, 0)));
  assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
  assert.match(refusal.message, /20,000 items .* truncation/);
  const kept = fitHistory(read(HISTORY_ITEMS_MAX + 1), [], ask(0, 0, "auto"));
  assert.equal(kept.length, Math.floor(HISTORY_ITEMS_MAX / 3) * 3);
  assert.equal(kept[0]?.opensTurn, true);
  // One turn of many rounds.
  const laterRounds = new Map(items.flatMap(({ responseId }) => (responseId === null ? [] : [[responseId, "resp_0"]])));
  const continued = { ...read(HISTORY_ITEMS_MAX + 1), laterRounds: laterRounds as HistoryWindow["laterRounds"] };
  assert.match(
    apiErrorOf(() => fitHistory(continued, [], ask(0, 0, "auto", round(0)))).message,
    /20,000 items .* by itself/,
  );
});
