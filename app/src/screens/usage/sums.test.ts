// Law: what the usage screens and their CSV show adds up to the rows of the interface, and those to their total.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../../test/support/fast-check.ts";
import type { UsageRow } from "../../api/client.ts";
import { secondsOf } from "../../parts/days.ts";
import { usageCsv } from "./csv.ts";
import { timesOfRow, turnsBehind } from "./rows.ts";
import { isMoney, type Metric, METRICS, readUsageSearch, subjectsOf, type UsageSearch } from "./search.ts";
import { addUp, seriesOf, timesOf } from "./series.ts";

/** Clocks are put back on the 25th: 25 hours. */
const RANGE = { from: "2026-10-24", to: "2026-10-26", zone: "Europe/Berlin" };
const LIST = { from: secondsOf("2026-10-23T22:00Z"), to: secondsOf("2026-10-26T23:00Z") };
const HOURS = 24 + 25 + 24;

const count = fc.nat({ max: 1_000_000 });
const drawnRow = fc.record({
  model: fc.integer({ min: 1, max: 20 }).map((number) => `model ${number}`),
  key: fc.integer({ min: 1, max: 3 }).map((number) => `key_${number}`),
  member: fc.constantFrom("mem_1", null),
  hour: fc.nat({ max: HOURS - 1 }),
  responses: count,
  input_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
  nano: fc.nat(),
  savedNano: fc.nat(),
});

const drawnSearch = fc
  .record({
    every: fc.constantFrom("hour", "day", "month", "total"),
    by: fc.constantFrom("none", "model", "key", "member"),
    and: fc.constantFrom("none", "model", "key", "member"),
    metric: fc.constantFrom(...METRICS.map(([metric]) => metric)),
  })
  .map((choices) => readUsageSearch({ ...choices, ...RANGE }));

const dayIn = new Intl.DateTimeFormat("sv-SE", { timeZone: RANGE.zone, dateStyle: "short" });

type Drawn = typeof drawnRow extends fc.Arbitrary<infer Row> ? Row : never;

/** A figure as a whole number. */
const exactOf = (row: Drawn, metric: Metric) =>
  metric === "credits" ? row.nano : metric === "saved" ? row.savedNano : row[metric];

/** What the interface would answer: one row for each group. */
function group(drawn: readonly Drawn[], search: UsageSearch) {
  const groups = new Map<string, UsageRow>();
  for (const { nano, savedNano, hour, model, key, member, ...figures } of drawn) {
    const begin = LIST.from + hour * 3600;
    const day = dayIn.format(begin * 1000);
    const times = { hour: `${new Date(begin * 1000).toISOString().slice(0, 13)}:00Z`, day, month: day.slice(0, 7) };
    const subjects = Object.fromEntries(
      subjectsOf(search).map((name) => [name, { model, key, member }[name as "key"]]),
    );
    const time = search.every === "total" ? {} : { [search.every]: times[search.every] };
    const name = JSON.stringify([subjects, time]);
    const earlier = groups.get(name);
    const row: UsageRow = {
      ...subjects,
      ...time,
      ...figures,
      credits: nano / 1e9,
      saved: savedNano / 1e9,
      cached_share: null,
    };
    groups.set(name, earlier === undefined ? row : { ...row, ...add([earlier, row]) });
  }
  return [...groups.values()];
}

const add = (rows: readonly UsageRow[]) =>
  Object.fromEntries(METRICS.map(([metric]) => [metric, addUp(rows, metric)])) as Pick<UsageRow, "credits">;

test("the series of a chart, the table and the CSV add up to the total, over a change of clocks", () => {
  fc.assert(
    fc.property(fc.array(drawnRow, { minLength: 1, maxLength: 60 }), drawnSearch, (drawn, search) => {
      const rows = group(drawn, search);
      const { metric } = search;
      const total = addUp(rows, metric);
      const exact = drawn.reduce((sum, row) => sum + exactOf(row, metric), 0);
      assert.equal(total, isMoney(metric) ? exact / 1e9 : exact);

      const times = timesOf(search, LIST);
      if (search.every === "hour") assert.equal(times.length, HOURS);
      const series = seriesOf(rows, search, times);
      assert.ok(series.length <= 8);
      assert.ok(isClose(sum(series.map((one) => one.total)), total), "the legend");
      if (search.every !== "total") {
        for (const one of series) assert.ok(isClose(sum(one.values), one.total), one.name);
      }

      const whole = { ...rows[0], ...add(rows) } as UsageRow;
      const [head = "", ...lines] = usageCsv(rows, whole, search).trimEnd().split("\r\n");
      const column = head.split(",").indexOf(metric);
      const figures = lines.map((line) => Number(line.split(",")[column]));
      const last = figures.length > rows.length ? figures.pop() : figures[0];
      assert.equal(last, total);
      assert.ok(isClose(sum(figures), total), "the lines of the CSV");
    }),
    { numRuns: 200 },
  );
});

const sum = (values: readonly number[]) => values.reduce((added, value) => added + value, 0);
/** Fractions are not exact: the sums differ by less than a billionth. */
const isClose = (one: number, other: number) => Math.abs(one - other) < 1e-9 * Math.max(1, Math.abs(other));

test("a number leads to the turns that it counts", () => {
  const times = { from: secondsOf("2026-10-24T22:00Z"), to: secondsOf("2026-10-25T23:00Z") };
  const row = { ...add([]), model: "m", member: null, ...times } as unknown as UsageRow;
  const search = { key: "key_1", model: "other" };
  const expected = { from: "2026-10-24T22:00Z", to: "2026-10-25T23:00Z", model: "m", key: "key_1", member: "none" };
  assert.deepEqual(turnsBehind(row, timesOfRow(row, LIST), search, "org_1"), {
    organizationId: "org_1",
    search: expected,
  });
  assert.deepEqual(turnsBehind({}, LIST, {}, "org_1")?.search, { from: "2026-10-23T22:00Z", to: "2026-10-26T23:00Z" });
  assert.equal(turnsBehind({ organization: "org_2" }, LIST, {}, null)?.organizationId, "org_2");
  assert.equal(turnsBehind({}, LIST, {}, null), null, "turns of several organizations are in no log");
});
