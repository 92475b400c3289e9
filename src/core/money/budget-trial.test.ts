import assert from "node:assert/strict";
import { test } from "node:test";
import { readDay } from "./billing-day.ts";
import { tryBudget } from "./budget-trial.ts";

const hourOf = (day: string, hour: number) => (readDay(day) ?? 0) * 24 + hour;
const turns = (day: string, hour: number, responses: number, credits: number) => ({
  hour: hourOf(day, hour),
  responses,
  chargedNano: BigInt(credits),
});
const tried = (trial: Partial<Parameters<typeof tryBudget>[0]>) =>
  tryBudget({ period: "day", limitNano: 10n, spentBeforeNano: 0n, hours: [], ...trial });

test("turns after the hour in which the limit is reached would have been rejected, those of that hour are not counted", () => {
  const hours = [turns("2026-11-01", 1, 4, 6), turns("2026-11-01", 2, 3, 4), turns("2026-11-01", 5, 2, 7)];
  assert.deepEqual(tried({ hours }), [
    {
      from: hourOf("2026-11-01", 0),
      to: hourOf("2026-11-02", 0),
      responses: 9,
      chargedNano: 17n,
      rejectsFrom: hourOf("2026-11-01", 3),
      rejectedResponses: 2,
      rejectedNano: 7n,
    },
  ]);
});

test("a limit that is not reached rejects nothing", () => {
  const [day] = tried({ hours: [turns("2026-11-01", 1, 4, 9)] });
  assert.deepEqual([day?.rejectsFrom, day?.rejectedResponses, day?.rejectedNano], [null, 0, 0n]);
});

test("a limit that is reached in a period's last hour rejects nothing of that period, nor of the next one", () => {
  const [day, next] = tried({ hours: [turns("2026-11-01", 23, 1, 10), turns("2026-11-02", 0, 1, 9)] });
  assert.deepEqual([day?.to, day?.rejectsFrom], [hourOf("2026-11-02", 0), null]);
  assert.deepEqual([next?.from, next?.rejectsFrom], [hourOf("2026-11-02", 0), null]);
});

test("a spent budget rejects free turns too", () => {
  const [day] = tried({ hours: [turns("2026-11-01", 1, 1, 10), turns("2026-11-01", 2, 5, 0)] });
  assert.deepEqual([day?.rejectedResponses, day?.rejectedNano], [5, 0n]);
});

test("each period begins anew; one without turns is left out", () => {
  const hours = [turns("2026-11-01", 1, 1, 20), turns("2026-11-03", 0, 1, 9), turns("2026-11-03", 1, 1, 9)];
  const days = tried({ hours });
  assert.deepEqual(
    days.map(({ from, rejectsFrom, rejectedResponses }) => [from, rejectsFrom, rejectedResponses]),
    [
      [hourOf("2026-11-01", 0), hourOf("2026-11-01", 2), 0],
      [hourOf("2026-11-03", 0), hourOf("2026-11-03", 2), 0],
    ],
  );
  const months = tried({ period: "month", hours: [...hours, turns("2026-12-01", 0, 1, 1)] });
  assert.deepEqual(
    months.map(({ from, to, rejectedResponses }) => [from, to, rejectedResponses]),
    [
      [hourOf("2026-11-01", 0), hourOf("2026-12-01", 0), 2],
      [hourOf("2026-12-01", 0), hourOf("2027-01-01", 0), 0],
    ],
  );
});

test("what was spent before counts in the first period", () => {
  const hours = [turns("2026-11-01", 1, 1, 1)];
  const [all] = tried({ period: "total", spentBeforeNano: 10n, hours });
  assert.deepEqual([all?.to, all?.rejectsFrom, all?.rejectedResponses], [null, hourOf("2026-11-01", 1), 1]);
});

test("a limit of 0 rejects every turn", () => {
  const [day] = tried({ limitNano: 0n, hours: [turns("2026-11-01", 1, 3, 5)] });
  assert.deepEqual([day?.rejectedResponses, day?.rejectedNano], [3, 5n]);
});
