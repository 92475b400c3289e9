import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRest } from "./format.ts";

test("the time left has its two largest units, and counts down to zero", () => {
  const rows = [
    [7 * 86_400, "7 d 0 h"],
    [86_399.5, "1 d 0 h"],
    [86_399, "23 h 59 min"],
    [3600, "1 h 0 min"],
    [61, "1 min 1 s"],
    [0.2, "1 s"],
    [0, "0 s"],
    [-5, "0 s"],
  ] as const;
  for (const [seconds, text] of rows) assert.equal(describeRest(seconds * 1000), text);
});
