import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses, countingMint } from "../../../test/support/turns.ts";
import { callsAnsweredElsewhere, planAddedItems, readAddedItems } from "./item-adding.ts";

const add = (values: unknown, unanswered: readonly string[] = []) =>
  planAddedItems(readAddedItems(values), unanswered, countingMint());
const user = (text = "x") => ({ role: "user", content: text });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "42" });

test("20 items are added, 21 refused, none gives none", () => {
  assert.equal(add(Array.from({ length: 20 }, () => user())).length, 20);
  assertRefuses(() => readAddedItems(Array.from({ length: 21 }, () => user())), "items", "20", "21");
  assert.deepEqual(add([]), []);
});

for (const value of [undefined, null, {}, "x", 1]) {
  test(`items that are ${JSON.stringify(value)} are refused`, () => {
    assertRefuses(() => readAddedItems(value), "items", "array");
  });
}

for (const [role, type] of [
  ["user", "input_text"],
  ["system", "input_text"],
  ["developer", "input_text"],
  ["assistant", "output_text"],
] as const) {
  test(`a message of the role ${role} is added, its bare text as ${type}`, () => {
    const part = type === "output_text" ? { type, text: "x", annotations: [], logprobs: [] } : { type, text: "x" };
    assert.deepEqual(add([{ role, content: "x" }])[0], {
      item: { type: "message", id: "msg_1", role, status: "completed", content: [part] },
      opensTurn: true,
      carried: false,
      size: 1,
    });
  });
}

test("messages are not joined, their parts keep their types, a phase is kept", () => {
  const parts = [
    { type: "text", text: "a" },
    { type: "output_text", text: "b" },
  ];
  const added = add([user("a"), { role: "assistant", content: parts, phase: "commentary" }]);
  assert.deepEqual(added[1]?.item, {
    type: "message",
    id: "msg_2",
    role: "assistant",
    status: "completed",
    phase: "commentary",
    content: [
      { type: "text", text: "a" },
      { type: "output_text", text: "b", annotations: [], logprobs: [] },
    ],
  });
});

for (const type of ["input_image", "input_file", "input_video", "summary_text", "reasoning_text", "refusal"]) {
  test(`a part of type ${type} is refused, naming item and part`, () => {
    assertRefuses(() => add([user(), { role: "user", content: [{ type }] }]), "items", "items[1] (message)", type);
  });
}

test("an item_reference is refused: it adds nothing", () => {
  assertRefuses(() => readAddedItems([user(), { id: "msg_1" }]), "items", "items[1] (item_reference)");
});

test("calls and outputs come in pairs, else the item and its missing half are named", () => {
  const added = add([call("a"), output("a")]);
  assert.deepEqual(
    added.map(({ item, carried, opensTurn }) => [item.type, carried, opensTurn]),
    [
      ["function_call", true, true],
      ["function_call_output", true, false],
    ],
  );
  assertRefuses(() => add([user(), call("a")]), "items", "items[1] (function_call)", "function_call_output");
  assertRefuses(() => add([output("a")]), "items", "items[0] (function_call_output)", "function_call with");
  assertRefuses(() => add([call("a"), output("a"), output("a")]), "items", "items[2]");
});

test("an output may answer a call that stands in the conversation; it then opens no turn", () => {
  assert.deepEqual(callsAnsweredElsewhere(readAddedItems([output("a"), call("b"), output("b")])), ["a"]);
  const added = add([output("a"), user()], ["a"]);
  assert.deepEqual(
    added.map(({ opensTurn }) => opensTurn),
    [false, false],
  );
  assertRefuses(() => add([output("a")], ["b"]), "items", '"a"');
});

test("only the first of what is added together opens a turn", () => {
  assert.deepEqual(
    add([user(), user(), user()]).map(({ opensTurn }) => opensTurn),
    [true, false, false],
  );
});

test("an output before its call is refused, naming it", () => {
  assertRefuses(
    () => add([user(), output("c"), call("c")]),
    "items",
    "items[1] (function_call_output)",
    "before its output",
  );
});
