import assert from "node:assert/strict";
import { test } from "node:test";
import { describeToolCalls } from "./rules.ts";

test("an empty field leaves the rule of the other side, which is named", () => {
  const policy = { allow_models: null, deny_models: [], tool_calls_per_turn: 5 };
  assert.equal(describeToolCalls(policy, "owner"), "the operator's, 5");
  assert.equal(describeToolCalls(policy, "operator"), "the organization's, 5");
  assert.equal(describeToolCalls({ ...policy, tool_calls_per_turn: null }, "owner"), "no limit");
  assert.equal(describeToolCalls(undefined, "operator"), "no limit");
});
