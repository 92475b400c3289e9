import assert from "node:assert/strict";
import test from "node:test";
import { createUsageCounter } from "./usage.ts";

test("input includes tokens read from the cache and written to it", () => {
  const counter = createUsageCounter(() => {});
  const start = {
    input_tokens: 10,
    cache_read_input_tokens: 200,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 30 },
    output_tokens: 1,
    output_tokens_details: null,
  };
  assert.deepEqual(counter.begin(start), {
    input_tokens: 240,
    input_tokens_details: { cached_tokens: 200, cache_write_tokens: 30 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 240,
  });
  // Cumulative; null means unchanged.
  const delta = {
    input_tokens: null,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    output_tokens: 70,
    output_tokens_details: { thinking_tokens: 40 },
  };
  assert.deepEqual(counter.add(delta), {
    input_tokens: 240,
    input_tokens_details: { cached_tokens: 200, cache_write_tokens: 30 },
    output_tokens: 70,
    output_tokens_details: { reasoning_tokens: 40 },
    total_tokens: 310,
  });
});

test("a later count replaces an earlier one", () => {
  const counter = createUsageCounter(() => {});
  counter.begin({ input_tokens: 10, output_tokens: 1 });
  assert.equal(counter.add({ input_tokens: 12, output_tokens: 5 })?.total_tokens, 17);
});

test("impossible counts are ignored, and no usage is reported before input and output are known", () => {
  const rows: unknown[] = [
    undefined,
    null,
    "x",
    {},
    { input_tokens: -1, output_tokens: 1 },
    { input_tokens: 1.5, output_tokens: 2 },
  ];
  for (const row of rows) assert.equal(createUsageCounter(() => {}).add(row), null);
  const counter = createUsageCounter(() => {});
  assert.equal(counter.add({ output_tokens: 3 }), null);
  assert.equal(
    counter.add({ input_tokens: 4, output_tokens_details: { thinking_tokens: 99 } })?.output_tokens_details
      .reasoning_tokens,
    3,
  );
});

test("counts missing at the end are estimated; the output count of the start is not final", () => {
  const estimate = {
    input_tokens: 50,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 12 },
    total_tokens: 80,
  };
  const completed = (start: object, end: object) => {
    const counter = createUsageCounter(() => {});
    counter.begin(start);
    counter.add(end);
    const usage = counter.complete(() => estimate, true);
    return (
      usage && [
        usage.input_tokens,
        usage.input_tokens_details.cached_tokens,
        usage.output_tokens,
        usage.output_tokens_details.reasoning_tokens,
        usage.total_tokens,
      ]
    );
  };
  assert.deepEqual(completed({}, {}), [50, 0, 30, 12, 80]);
  assert.deepEqual(completed({ input_tokens: 10, output_tokens: 1 }, {}), [10, 0, 30, 12, 40]);
  assert.deepEqual(completed({ input_tokens: 10, output_tokens: 45 }, { output_tokens: null }), [10, 0, 45, 12, 55]);
  assert.deepEqual(completed({}, { output_tokens: 500 }), [50, 0, 500, 0, 550]);
  assert.deepEqual(completed({}, { output_tokens: 5 }), [50, 0, 5, 0, 55]);
  const thinking = { output_tokens: 500, output_tokens_details: { thinking_tokens: 400 } };
  assert.deepEqual(completed({}, thinking), [50, 0, 500, 400, 550]);
  assert.deepEqual(completed({ cache_read_input_tokens: 20 }, thinking), [50, 20, 500, 400, 550]);
  assert.deepEqual(completed({ cache_read_input_tokens: 70 }, thinking), [70, 70, 500, 400, 570]);
  // All counts reported, if only at the end.
  assert.equal(completed({ input_tokens: 10, output_tokens: 1 }, { output_tokens: 5 }), null);
  assert.equal(completed({}, { input_tokens: 10, output_tokens: 5 }), null);
});
