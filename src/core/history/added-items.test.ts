import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../../contract/items.ts";
import { assertInvalidInput, countingMint } from "../../../test/support/responses.ts";
import type { UnansweredCall } from "./history-item.ts";
import { callIdsOf, placeInTurns, planAddedItems, readAddedItems } from "./added-items.ts";

const add = (values: unknown, open: readonly string[] = [], taken: Partial<UnansweredCall> = {}) => {
  const unansweredCalls = open.map((callId) => ({
    callId,
    itemId: `fc_${callId}`,
    answeredBy: null,
    closedBy: null,
    ...taken,
  }));
  return planAddedItems(readAddedItems(values), unansweredCalls, countingMint());
};
const user = (text = "x") => ({ role: "user", content: text });
const call = (callId: string) => ({ type: "function_call", call_id: callId, name: "add", arguments: "{}" });
const output = (callId: string) => ({ type: "function_call_output", call_id: callId, output: "42" });

test("20 items are added, 21 rejected, none gives none", () => {
  assert.equal(add(Array.from({ length: 20 }, () => user())).length, 20);
  assertInvalidInput(() => readAddedItems(Array.from({ length: 21 }, () => user())), "items", "20", "21");
  assert.deepEqual(add([]), []);
});

for (const value of [undefined, null, {}, "x", 1]) {
  test(`items that are ${JSON.stringify(value)} are rejected`, () => {
    assertInvalidInput(() => readAddedItems(value), "items", "array");
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
      answers: null,
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

const citation = { type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 1 };
const citing = (annotations: unknown) => ({
  role: "assistant",
  content: [{ type: "output_text", text: "b", annotations }],
});

test("url_citation annotations are kept with their known fields; other annotations are not", () => {
  const annotations = [
    { ...citation, index: 1 },
    { type: "file_citation", file_id: "f" },
    { ...citation, title: "" },
    {},
    1,
    null,
  ];
  const [{ item } = assert.fail()] = add([citing(annotations)]);
  assert.deepEqual(item.type === "message" && item.content, [
    { type: "output_text", text: "b", annotations: [citation, { ...citation, title: "" }], logprobs: [] },
  ]);
  for (const none of [undefined, null, []]) {
    const [{ item: plain } = assert.fail()] = add([citing(none)]);
    assert.deepEqual(plain.type === "message" && plain.content, [
      { type: "output_text", text: "b", annotations: [], logprobs: [] },
    ]);
  }
});

test("annotations of other parts are not read", () => {
  const [{ item } = assert.fail()] = add([
    { role: "user", content: [{ type: "input_text", text: "b", annotations: 1 }] },
  ]);
  assert.deepEqual(item.type === "message" && item.content, [{ type: "input_text", text: "b" }]);
});

for (const [name, annotations, place] of [
  ["no array", "x", "content[0].annotations must"],
  ["a citation without a url", [citation, { ...citation, url: undefined }], "content[0].annotations[1].url"],
  ["a citation whose title is null", [{ ...citation, title: null }], "annotations[0].title"],
  ["a citation that starts before the text", [{ ...citation, start_index: -1 }], "annotations[0].start_index"],
  ["a citation that ends at a fraction", [{ ...citation, end_index: 1.5 }], "annotations[0].end_index"],
  ["a citation that ends at a text", [{ ...citation, end_index: "1" }], "annotations[0].end_index"],
] as const) {
  test(`annotations that are ${name} are rejected, naming item and place`, () => {
    assertInvalidInput(() => add([user(), citing(annotations)]), "items", "items[1] (message)", place);
  });
}

for (const type of ["input_image", "input_file", "input_video", "summary_text", "reasoning_text", "refusal"]) {
  test(`a part of type ${type} is rejected, naming item and part`, () => {
    assertInvalidInput(() => add([user(), { role: "user", content: [{ type }] }]), "items", "items[1] (message)", type);
  });
}

test("an item_reference is rejected: it adds nothing", () => {
  assertInvalidInput(() => readAddedItems([user(), { id: "msg_1" }]), "items", "items[1] (item_reference)");
});

test("the error about an unknown type names the types that can be added", () => {
  const types = "send message, function_call, function_call_output or reasoning items.";
  assertInvalidInput(() => readAddedItems([{ type: "web_search_call" }]), "items", types);
});

test("a call may come alone; an output without a call is an error naming it and its missing half", () => {
  const added = add([call("a"), output("a")]);
  assert.deepEqual(
    added.map(({ item, carried, opensTurn }) => [item.type, carried, opensTurn]),
    [
      ["function_call", true, true],
      ["function_call_output", true, false],
    ],
  );
  assert.equal(add([user(), call("b")]).length, 2);
  assertInvalidInput(() => add([output("a")]), "items", "items[0] (function_call_output)", "function_call with");
  assertInvalidInput(() => add([call("a"), output("a"), output("a")]), "items", "items[2]");
});

test("an output may answer a call already in the conversation", () => {
  assert.deepEqual(callIdsOf(readAddedItems([output("a"), user(), call("b"), output("b")])), ["a", "b"]);
  assert.equal(add([output("a"), user()], ["a"]).length, 2);
  assertInvalidInput(() => add([output("a")], ["b"]), "items", '"a" is missing, or has its output already');
  assertInvalidInput(() => add([output("a")], ["a"], { answeredBy: "resp_1" }), "items", '"a"', "resp_1 is answering");
  assertInvalidInput(() => add([output("a")], ["a"], { closedBy: "resp_2" }), "items", '"a" is closed', "resp_2");
});

const assistant = { role: "assistant", content: "x" };
const system = { role: "system", content: "x" };
for (const [name, items, opening] of [
  ["each user message", [user(), assistant, user(), assistant, user()], [0, 2, 4]],
  ["the first item, whatever it is", [assistant, user(), system], [0, 1]],
  ["an exchange that comes first", [call("b"), output("b"), user()], [0, 2]],
  ["no user message between a call and its output", [user(), call("b"), user(), output("b"), user()], [0, 4]],
  ["nor within calls that overlap", [call("b"), call("c"), output("b"), user(), output("c"), user()], [0, 5]],
  ["nothing before the output of a call that stands before them", [system, user(), output("a"), user()], [3]],
  ["nor such an output itself", [output("a"), assistant, user()], [2]],
  ["a user message behind a call that stands alone", [call("b"), user()], [0, 1]],
] as const) {
  test(`of what is added together a turn is opened by ${name}`, () => {
    const places = add(items, ["a"]).flatMap(({ opensTurn }, at) => (opensTurn ? [at] : []));
    assert.deepEqual(places, opening);
  });
}

test("an output before its call is rejected, naming it", () => {
  assertInvalidInput(
    () => add([user(), output("c"), call("c")]),
    "items",
    "items[1] (function_call_output)",
    "must precede its output",
  );
});

const stored = (kind: "user" | "assistant" | "call" | "output", id = "c"): Item => {
  if (kind === "call")
    return { type: "function_call", id: "fc_1", call_id: id, name: "f", arguments: "{}", status: "completed" };
  if (kind === "output")
    return { type: "function_call_output", id: "fco_1", call_id: id, output: "", status: "completed" };
  return { type: "message", id: "msg_1", role: kind, status: "completed", content: [] };
};

test("each call reaches to the next output with its call_id, however often the call_id is used", () => {
  const items = (["user", "call", "output", "user", "call", "user", "output", "user"] as const).map((kind, at) => {
    return { ...stored(kind), id: `item_${at}` };
  });
  const opens = placeInTurns(items, { opensFirst: true, open: new Map() }).map(({ opensTurn }) => opensTurn);
  assert.deepEqual(opens, [true, false, false, true, false, false, false, true]);
});

test("only what follows nothing opens a turn as the first, and only what follows calls may answer one of them", () => {
  const items = [stored("assistant"), stored("user"), stored("output"), stored("user")];
  const opens = (opensFirst: boolean, hasCalls: boolean) =>
    placeInTurns(items, { opensFirst, open: new Map(hasCalls ? [["c", ["fc_0"]]] : []) }).map(
      ({ opensTurn }) => opensTurn,
    );
  assert.deepEqual(opens(true, false), [true, true, false, true]);
  assert.deepEqual(opens(false, false), [false, true, false, true]);
  assert.deepEqual(opens(false, true), [false, false, false, true]);
});
