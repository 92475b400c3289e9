import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Truncation } from "../../contract/settings.ts";
import { entryOf, modelOf, apiErrorOf, userMessage } from "../../../test/support/turns.ts";
import type { HistoryItem } from "../history/history-item.ts";
import {
  HISTORY_ITEMS_MAX,
  holdsTooManyItems,
  truncate,
  usableTokens,
  type WindowInput,
  windowToRead,
} from "./window.ts";

/** Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters. */
const SMALL = modelOf({ contextWindow: 3000 });
const ask = (sentSize: number, historySize: number, truncation: Truncation = "disabled"): WindowInput => ({
  model: SMALL,
  maxOutputTokens: 100,
  truncation,
  sentSize,
  historySize,
});

function history(turns: readonly (readonly number[])[]): HistoryItem[] {
  return turns.flatMap((sizes, turn) =>
    sizes.map((size, place) => entryOf(userMessage(`msg_${turn}_${place}`, ""), { opensTurn: place === 0, size })),
  );
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
    assert.deepEqual(windowToRead(ask(40, 3500, truncation)), { sizeMax: 3500, truncates: false });
  }
});

test("with disabled one character too many is an error, param null", () => {
  const refusal = apiErrorOf(() => windowToRead(ask(41, 3500)));
  assert.deepEqual([refusal.code, refusal.status, refusal.param], ["context_length_exceeded", 400, null]);
  assert.match(refusal.message, /886 tokens; 885 fit .* test\/all .* truncation/);
});

test("with auto as much is read as may still be sent", () => {
  assert.deepEqual(windowToRead(ask(41, 3500, "auto")), { sizeMax: 3499, truncates: true });
});

test("with auto a turn that does not fit alone is an error", () => {
  assert.ok(windowToRead(ask(3540, 1, "auto")).truncates);
  const refusal = apiErrorOf(() => windowToRead(ask(3541, 1, "auto")));
  assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
});

test("the oldest whole turns are dropped until another 10 percent is free", () => {
  // 796 tokens, 3,184 characters, may stay: the sent turn's 1,000 and two turns of 1,000.
  const entries = history([
    [500, 500],
    [500, 500],
    [500, 500],
  ]);
  assert.deepEqual(truncate(entries, entries.length, ask(1000, 3000, "auto")), entries.slice(2));
  assert.deepEqual(truncate(entries, entries.length, ask(1184, 3000, "auto")), entries.slice(2));
  assert.deepEqual(truncate(entries, entries.length, ask(1185, 3000, "auto")), entries.slice(4));
});

test("the continued turn stays even without 10 percent free, and is an error when it does not fit", () => {
  const entries = history([[100], [1000, 1000]]);
  assert.deepEqual(truncate(entries, 1, ask(1540, 2100, "auto")), entries.slice(1));
  const refusal = apiErrorOf(() => truncate(entries, 1, ask(1541, 2100, "auto")));
  assert.equal(refusal.code, "context_length_exceeded");
});

const turnSizes = fc.array(fc.array(fc.nat({ max: 1200 }), { minLength: 1, maxLength: 4 }), { maxLength: 8 });

test("whole turns: truncation drops a prefix of whole turns, keeps the turn that is continued, and what stays fits", () => {
  fc.assert(
    fc.property(turnSizes, fc.nat({ max: 3600 }), fc.boolean(), (sizes, sentSize, continuesTurn) => {
      const entries = history(sizes);
      const historySize = entries.reduce((sum, entry) => sum + entry.size, 0);
      const question = ask(sentSize, historySize, "auto");
      const lastTurn = entries.findLastIndex((entry) => entry.opensTurn);
      const keptFrom = continuesTurn && lastTurn >= 0 ? lastTurn : entries.length;
      let kept: readonly HistoryItem[];
      try {
        const { truncates } = windowToRead(question);
        kept = truncates ? truncate(entries, keptFrom, question) : entries;
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === "context_length_exceeded");
        const least = entries.slice(keptFrom).reduce((sum, entry) => sum + entry.size, sentSize);
        assert.ok(estimateTokens(least) > 885, "only what can't fit is refused");
        return;
      }
      assert.deepEqual(kept, entries.slice(entries.length - kept.length), "a prefix went");
      assert.ok(kept.length === 0 || kept[0]?.opensTurn === true, "never part of a turn");
      assert.ok(kept.length >= entries.length - keptFrom, "never the turn being continued");
      const size = kept.reduce((sum, entry) => sum + entry.size, sentSize);
      assert.ok(estimateTokens(size) <= 885, "what stays fits");
      if (kept.length === entries.length) return;
      const isLeast = kept.length === entries.length - keptFrom;
      assert.ok(isLeast || estimateTokens(size) <= 796, "10 percent more is free");
      const before = entries.slice(0, entries.length - kept.length).findLastIndex((entry) => entry.opensTurn);
      const more = entries.slice(before).reduce((sum, entry) => sum + entry.size, sentSize);
      assert.ok(estimateTokens(more) > 796, "no turn went that could stay");
    }),
    { numRuns: 300 },
  );
});

test("whole turns: the same holds for any part of the history that was read", () => {
  fc.assert(
    fc.property(turnSizes, fc.nat({ max: 3500 }), (sizes, sentSize) => {
      const entries = history(sizes);
      const historySize = entries.reduce((sum, entry) => sum + entry.size, 0);
      const question = ask(sentSize, historySize, "auto");
      const { sizeMax, truncates } = windowToRead(question);
      if (!truncates) return;
      // The part that a store reads: from the end, up to and including the item that crosses the limit.
      let from = entries.length;
      let size = 0;
      while (from > 0 && size <= sizeMax) size += entries[--from]?.size ?? 0;
      const whole = truncate(entries, entries.length, question);
      assert.deepEqual(truncate(entries.slice(from), entries.length - from, question), whole);
    }),
    { numRuns: 200 },
  );
});

test("a turn sends at most so many items, whatever their size: more are an error, or the oldest turns are dropped", () => {
  assert.equal(holdsTooManyItems(HISTORY_ITEMS_MAX, ask(0, 0)), false);
  const refusal = apiErrorOf(() => holdsTooManyItems(HISTORY_ITEMS_MAX + 1, ask(0, 0)));
  assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
  assert.match(refusal.message, /20,000 items .* truncation/);
  assert.equal(holdsTooManyItems(HISTORY_ITEMS_MAX + 1, ask(0, 0, "auto")), true);
  // Turns of three items each.
  const items = history(Array.from({ length: HISTORY_ITEMS_MAX / 2 }, () => [0, 0, 0]));
  const kept = truncate(items, items.length, ask(0, 0, "auto"));
  assert.equal(kept.length, Math.floor(HISTORY_ITEMS_MAX / 3) * 3);
  assert.equal(kept[0]?.opensTurn, true);
  const continued = items.length - HISTORY_ITEMS_MAX;
  assert.equal(truncate(items, continued, ask(0, 0, "auto")).length, HISTORY_ITEMS_MAX);
  assert.match(
    apiErrorOf(() => truncate(items, continued - 1, ask(0, 0, "auto"))).message,
    /20,000 items .* by itself/,
  );
});
