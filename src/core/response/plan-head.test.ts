import assert from "node:assert/strict";
import { test } from "node:test";
import { toolCallLimit } from "./plan-head.ts";

for (const [requested, policy, parallel, limit] of [
  [null, null, true, Infinity],
  [3, null, true, 3],
  [null, 5, true, 5],
  [3, 5, true, 3],
  [5, 3, true, 3],
  [null, null, false, 1],
  [5, 3, false, 1],
  [null, 0, true, 0],
  [1, 0, false, 0],
] as const) {
  test(`max_tool_calls ${requested}, policy ${policy}, parallel ${parallel}: at most ${limit}`, () => {
    assert.equal(toolCallLimit({ maxToolCalls: requested, parallelToolCalls: parallel }, policy), limit);
  });
}

test("the calls of earlier rounds count against the policy, not against max_tool_calls", () => {
  for (const [callsBefore, limit] of [
    [1, 2],
    [3, 0],
    [4, 0],
  ] as const) {
    assert.equal(toolCallLimit({ maxToolCalls: 2, callsBefore, parallelToolCalls: true }, 3), limit);
  }
  assert.equal(toolCallLimit({ maxToolCalls: 2, callsBefore: 9, parallelToolCalls: true }, null), 2);
});
