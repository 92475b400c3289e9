import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounter } from "./counter.ts";
import { expose } from "./exposition.ts";
import { createGauge, single } from "./gauge.ts";
import { createHistogram } from "./histogram.ts";

test("a family has its help and type, then its series in the order they began", async () => {
  const counter = createCounter("turns_total", "Turns.", ["model", "status"]);
  counter.add(1, "b", "failed");
  counter.add(2, "a", "completed");
  counter.add(3, "b", "failed");
  assert.equal(
    await expose([counter]),
    '# HELP turns_total Turns.\n# TYPE turns_total counter\nturns_total{model="b",status="failed"} 4\nturns_total{model="a",status="completed"} 2\n',
  );
});

test("a label without a value is left out; without any there are no braces", async () => {
  const counter = createCounter("turns_total", "Turns.", ["model", "code"]);
  counter.add(1, "a", "");
  const plain = createCounter("plain_total", "Plain.", []);
  plain.add(5);
  assert.match(await expose([counter]), /^turns_total\{model="a"\} 1$/m);
  assert.match(await expose([plain]), /^plain_total 5$/m);
});

test("a value with quotes, backslashes or line breaks is escaped", async () => {
  const counter = createCounter("odd_total", "Odd \\ and\nlong.", ["name"]);
  counter.add(1, 'a"b\\c\nd');
  const text = await expose([counter]);
  assert.match(text, /^# HELP odd_total Odd \\\\ and\\nlong\.$/m);
  assert.ok(text.includes('odd_total{name="a\\"b\\\\c\\nd"} 1\n'));
});

test("a histogram's buckets are cumulative, a bound belongs to its own bucket", async () => {
  const histogram = createHistogram("wait_seconds", "Waits.", ["side"], [0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(seconds, "read");
  assert.deepEqual((await expose([histogram])).trim().split("\n").slice(2), [
    'wait_seconds_bucket{side="read",le="0.1"} 2',
    'wait_seconds_bucket{side="read",le="1"} 4',
    'wait_seconds_bucket{side="read",le="+Inf"} 5',
    'wait_seconds_sum{side="read"} 8.65',
    'wait_seconds_count{side="read"} 5',
  ]);
});

test("a gauge is asked for at every scrape", async () => {
  let value = 1;
  const gauge = createGauge("open", "Open.", [], () => single(value));
  assert.match(await expose([gauge]), /^open 1$/m);
  value = 2;
  assert.match(await expose([gauge]), /^open 2$/m);
});

test("families without a series yet are shown by name", async () => {
  assert.equal(
    await expose([createCounter("none_total", "None.", ["a"])]),
    "# HELP none_total None.\n# TYPE none_total counter\n",
  );
});
