import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput, callItem, outputItem } from "../../../test/support/responses.ts";
import { readInputItems } from "../reading/input-items.ts";
import { checkCallPairs, type EarlierCalls, linkOutputs, type OpenCalls } from "./call-pairs.ts";

const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "42" });
const check = (values: readonly object[], param: "input" | "items" = "input", earlier?: EarlierCalls) =>
  checkCallPairs(readInputItems(values, { param, rejectedRoles: {} }), param, earlier);

test("a call_id may repeat once its call has its output", () => {
  check([call("a"), output("a"), call("a"), call("b"), output("b"), output("a")]);
  for (const param of ["input", "items"] as const) {
    const both = [call("a"), call("a"), output("a"), output("a")];
    assertInvalidInput(() => check(both, param), param, `${param}[1] (function_call)`, '"a" is already used');
    const twice = [call("a"), output("a"), output("a")];
    assertInvalidInput(() => check(twice, param), param, `${param}[2] (function_call_output)`, '"a" is already used');
  }
});

test("of several faults the first is named", () => {
  assertInvalidInput(() => check([call("a"), output("b")]), "input", "input[0]", '"a" is missing');
  assertInvalidInput(() => check([output("b"), call("a")]), "input", "input[0]", '"b" is missing');
});

test("an output may answer an earlier call, and a call without output may not repeat its id", () => {
  const earlier = {
    isOpen: (callId: string) => callId === "a",
    takes: ({ callId }: { callId: string }) => callId === "a",
  };
  check([output("a"), call("b")], "items", earlier);
  check([call("a"), output("a")], "items", earlier);
  assertInvalidInput(() => check([call("a")], "items", earlier), "items", "items[0]", '"a" is already used');
});

test("an output is linked to the newest open call before it with its call_id", () => {
  const again = { ...callItem("a"), id: "fc_2" };
  const open: OpenCalls = new Map([["a", ["fc_0"]]]);
  const items = [
    callItem("a"),
    outputItem("a", "1"),
    again,
    outputItem("a", "2"),
    outputItem("a", "3"),
    outputItem("a", "4"),
  ];
  assert.deepEqual(linkOutputs(items, open), [null, "fc_a", null, "fc_2", "fc_0", null]);
  assert.deepEqual(linkOutputs([callItem("b")], open), [null]);
  assert.deepEqual(linkOutputs([outputItem("b", "1")], open), ["fc_b"], "also in the next items");
});
