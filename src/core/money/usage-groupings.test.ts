import assert from "node:assert/strict";
import { test } from "node:test";
import { readUsageGroupings } from "./usage-groupings.ts";

test("a time and up to two other groupings are read in their order", () => {
  assert.deepEqual(readUsageGroupings("model", "organization"), ["model"]);
  assert.deepEqual(readUsageGroupings("model,day", "organization"), ["model", "day"]);
  assert.deepEqual(readUsageGroupings("hour,key", "organization"), ["hour", "key"]);
  assert.deepEqual(readUsageGroupings("key,month,model", "organization"), ["key", "month", "model"]);
  assert.deepEqual(readUsageGroupings("organization,model", "platform"), ["organization", "model"]);
});

test("anything else is not", () => {
  for (const text of [
    "",
    "nothing",
    "model,",
    "model,model",
    "day,hour",
    "key,model,member",
    "day,month,key",
    "model, day",
  ]) {
    assert.equal(readUsageGroupings(text, "platform"), null, text);
  }
  assert.equal(readUsageGroupings("organization", "organization"), null);
});
