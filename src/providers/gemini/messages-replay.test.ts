// Rounds of a turn that are replayed from their states.
import assert from "node:assert/strict";
import test from "node:test";
import { answer, call, stateOf } from "../../../test/support/prompt-items.ts";
import { userMessage } from "../../../test/support/provider-samples.ts";
import {
  encode,
  contentsOf,
  result,
  state,
  user,
  model,
  text,
  wireCall,
  responses,
} from "../../../test/support/gemini-messages.ts";

const PARTS = [
  { text: "Let me ", thought: true },
  { text: "Let me " },
  { text: "look.", thoughtSignature: "sig-text" },
  { functionCall: { id: "1", name: "look", args: { of: "1", kept: 1 } }, thoughtSignature: "sig-call" },
  { functionCall: { name: "look", args: {} } },
  { text: "", thoughtSignature: "sig-end" },
];

test("a round of this turn is replayed as received, instead of its items; an id created by the service is not sent", () => {
  const contents = contentsOf(
    userMessage("U"),
    state(PARTS, "1", "minted"),
    answer("Let me look."),
    call("1"),
    call("minted"),
    result("1"),
    result("minted"),
  );
  assert.deepEqual(contents, [
    user("U"),
    model(...PARTS),
    {
      role: "user",
      parts: [
        { functionResponse: { id: "1", name: "look", response: { output: "out 1" } } },
        { functionResponse: { name: "look", response: { output: "out minted" } } },
      ],
    },
  ]);
});

test("the result of a replayed call has the name that the call was sent with", () => {
  const part = { functionCall: { id: "1", name: "a_b_2", args: {} }, thoughtSignature: "sig" };
  assert.deepEqual(contentsOf(userMessage("U"), state([part], "1"), call("1", "a b"), result("1")).slice(1), [
    model(part),
    { role: "user", parts: [{ functionResponse: { id: "1", name: "a_b_2", response: { output: "out 1" } } }] },
  ]);
});

test("a replayed round whose first call lacks its signature is sent with the placeholder", () => {
  const calls = ["1", "2"].map((id) => ({ functionCall: { id, name: "look", args: {} } }));
  const items = [userMessage("U"), state(calls, "1", "2"), call("1"), call("2"), result("1"), result("2")];
  assert.deepEqual(
    contentsOf(...items)[1],
    model({ ...calls[0], thoughtSignature: "skip_thought_signature_validator" }, calls[1]),
  );
  assert.deepEqual(encode(items, null, "gemini-2.5-pro").contents[1], model(...calls));
});

test("several rounds of a turn are each replayed; an earlier turn is rebuilt", () => {
  const first = { functionCall: { id: "1", name: "look", args: {} }, thoughtSignature: "sig 1" };
  const second = { functionCall: { id: "2", name: "look", args: {} }, thoughtSignature: "sig 2" };
  const contents = contentsOf(
    userMessage("T"),
    call("0"),
    result("0"),
    answer("done"),
    userMessage("U"),
    state([first], "1"),
    call("1"),
    result("1"),
    state([second], "2"),
    call("2"),
    result("2"),
  );
  assert.deepEqual(contents, [
    user("T"),
    model(wireCall("0")),
    responses("0"),
    model(text("done")),
    user("U"),
    model(first),
    responses("1"),
    model(second),
    responses("2"),
  ]);
});

test("a text between calls, which follows the first result in the history, is sent once", () => {
  const parts = [
    { functionCall: { id: "1", name: "look", args: {} }, thoughtSignature: "s" },
    { text: "and" },
    { functionCall: { id: "2", name: "look", args: {} } },
  ];
  assert.deepEqual(
    contentsOf(userMessage("U"), state(parts, "1", "2"), call("1"), result("1"), answer("and"), call("2"), result("2")),
    [user("U"), model(...parts), responses("1", "2")],
  );
});

test("each text of a round is sent once; the same text added by a client is sent again", () => {
  const parts = [
    { text: "a" },
    { functionCall: { id: "1", name: "look", args: {} }, thoughtSignature: "s" },
    { text: "b" },
  ];
  const items = [state(parts, "1"), answer("a"), call("1"), result("1"), answer("b"), answer("a")];
  assert.deepEqual(contentsOf(userMessage("U"), ...items).slice(0, 4), [
    user("U"),
    model(...parts),
    responses("1"),
    model(text("a")),
  ]);
});

test("calls dropped by a limit are not replayed: they have no output", () => {
  const parts = [
    { functionCall: { id: "1", name: "look", args: {} }, thoughtSignature: "s" },
    { functionCall: { id: "2", name: "look", args: {} } },
  ];
  assert.deepEqual(contentsOf(userMessage("U"), state(parts, "1", "2"), call("1"), result("1")), [
    user("U"),
    model(parts[0]),
    responses("1"),
  ]);
});

test("items that a client added while the calls waited are kept beside the round", () => {
  const parts = [{ functionCall: { id: "1", name: "look", args: {} }, thoughtSignature: "s" }];
  const contents = contentsOf(
    userMessage("U"),
    state(parts, "1"),
    call("1"),
    call("added", null),
    result("1"),
    result("added", null),
    answer("added too"),
    userMessage("V"),
  );
  assert.deepEqual(
    contents.map(({ role }) => role),
    ["user", "model", "user", "model", "user", "model", "user"],
  );
  assert.deepEqual(contents.slice(1, 4), [model(...parts), responses("1"), model(wireCall("added", "tool"))]);
});

test("a state of another family is ignored", () => {
  for (const foreign of [
    null,
    "x",
    {},
    { reasoning: "r" },
    { parts: [1], callIds: [] },
    { parts: PARTS, callIds: ["1"] },
  ]) {
    assert.deepEqual(contentsOf(userMessage("U"), stateOf(foreign, "1"), call("1"), result("1")), [
      user("U"),
      model(wireCall("1")),
      responses("1"),
    ]);
  }
});
