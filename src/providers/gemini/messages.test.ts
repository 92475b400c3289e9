import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/turn/prompt.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { createLabels } from "../labels.ts";
import { toolNamesOf } from "../tools.ts";
import { encodeMessages } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";
import { createRoundState } from "./round-state.ts";

function encode(items: readonly PromptItem[], instructions: string | null = null, model = "gemini-3.8-flash") {
  const prompt = samplePrompt(items, { instructions });
  return encodeMessages(prompt, { traits: traitsOf(model), toolNames: createLabels(toolNamesOf(prompt)) });
}
const contentsOf = (...items: readonly PromptItem[]) => encode(items).contents;

const answer = (text: string, declined = false): PromptItem => ({ type: "answer", text, declined, phase: null });
const call = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "call",
  callId,
  name,
  arguments: `{"of":"${callId}"}`,
});
const result = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "result",
  callId,
  name,
  output: `out ${callId}`,
});
const state = (parts: readonly Record<string, unknown>[], ...callIds: string[]): PromptItem => ({
  type: "state",
  // As it comes back from the store.
  state: JSON.parse(JSON.stringify(createRoundState(parts, callIds))),
});

const user = (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
const model = (...parts: unknown[]) => ({ role: "model", parts });
const text = (words: string) => ({ text: words });
const wireCall = (id: string, name = "look") => ({
  functionCall: { id, name, args: { of: id } },
  thoughtSignature: "skip_thought_signature_validator",
});
const responses = (...ids: string[]) => ({
  role: "user",
  parts: ids.map((id) => ({ functionResponse: { id, name: "look", response: { output: `out ${id}` } } })),
});

test("instructions and the words of system and developer stand before the history", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    { type: "message", role: "system", text: "S" },
    { type: "message", role: "developer", text: "D" },
  ];
  assert.deepEqual(encode(items, "I"), { system: [text("I"), text("S"), text("D")], contents: [user("U")] });
  assert.deepEqual(encode([userMessage("U")]).system, []);
});

test("contents change between user and model; neighbours of one role are one content", () => {
  assert.deepEqual(contentsOf(userMessage("1"), userMessage("2"), answer("a"), answer("b"), userMessage("3")), [
    user("1", "2"),
    model(text("a"), text("b")),
    user("3"),
  ]);
});

test("a wordless refusal is not repeated, one with words is", () => {
  assert.deepEqual(contentsOf(userMessage("1"), answer("", true), userMessage("2")), [user("1", "2")]);
  assert.deepEqual(contentsOf(userMessage("1"), answer("No.", true)).slice(0, 2), [user("1"), model(text("No."))]);
});

test("calls stand in the content of their answer, all their results in one behind it", () => {
  assert.deepEqual(
    contentsOf(userMessage("U"), answer("Looking"), call("1"), call("2"), result("2"), result("1"), answer("Done")),
    [
      user("U"),
      model(text("Looking"), wireCall("1"), wireCall("2")),
      responses("1", "2"),
      model(text("Done")),
      user("Continue."),
    ],
  );
});

test("contents end with the user, and a replayed call belongs to the content of the words before it", () => {
  const part = { functionCall: { id: "2", name: "look", args: {} }, thoughtSignature: "sig" };
  const items = [userMessage("U"), call("1"), result("1"), answer("Words of another model.")];
  assert.deepEqual(contentsOf(...items).slice(3), [model(text("Words of another model.")), user("Continue.")]);
  assert.deepEqual(contentsOf(...items, state([part], "2"), call("2"), result("2")).slice(3), [
    model(text("Words of another model."), part),
    responses("2"),
  ]);
});

test("words of the user behind results are a content of their own", () => {
  assert.deepEqual(contentsOf(userMessage("U"), call("1"), result("1"), userMessage("V")), [
    user("U"),
    model(wireCall("1")),
    responses("1"),
    user("V"),
  ]);
});

test("a carried call has a neutral name, and a history that begins with one an opening", () => {
  const response = { functionResponse: { id: "1", name: "tool", response: { output: "out 1" } } };
  assert.deepEqual(contentsOf(call("1", null), result("1", null), userMessage("U")), [
    user("(earlier exchange)"),
    model(wireCall("1", "tool")),
    { role: "user", parts: [response] },
    user("U"),
  ]);
});

test("a call_id that is used again keeps its own results", () => {
  const again: PromptItem = { type: "result", callId: "1", name: "look", output: "second" };
  const contents = contentsOf(userMessage("U"), call("1"), result("1"), call("1"), again);
  assert.deepEqual(
    contents.flatMap(({ parts }) => parts.filter((part) => "functionResponse" in part)),
    [
      { functionResponse: { id: "1", name: "look", response: { output: "out 1" } } },
      { functionResponse: { id: "1", name: "look", response: { output: "second" } } },
    ],
  );
});

test("arguments that are no object are told as they are", () => {
  const broken: PromptItem = { type: "call", callId: "1", name: "look", arguments: '{"of":' };
  const [, content] = contentsOf(userMessage("U"), broken, result("1"));
  assert.deepEqual(content?.parts[0], {
    functionCall: { id: "1", name: "look", args: { arguments: '{"of":' } },
    thoughtSignature: "skip_thought_signature_validator",
  });
});

test("numbers beyond a double stay as they were written, rebuilt and replayed", () => {
  const args = '{"id":12345678901234567891,"f":1.0}';
  const long: PromptItem = { type: "call", callId: "1", name: "look", arguments: args };
  const part = { functionCall: { id: "1", name: "look", args: JSON.parse(args) }, thoughtSignature: "sig" };
  for (const items of [
    [long, result("1")],
    [state([part], "1"), long, result("1")],
  ]) {
    const sent = JSON.stringify(contentsOf(userMessage("U"), ...items));
    assert.ok(sent.includes(`"args":${args}`), sent);
  }
});

test("models that sign nothing are sent no word for a missing signature", () => {
  const { contents } = encode([userMessage("U"), call("1"), result("1")], null, "gemini-2.5-flash");
  assert.deepEqual(contents[1], model({ functionCall: { id: "1", name: "look", args: { of: "1" } } }));
});

const PARTS = [
  { text: "Let me ", thought: true },
  { text: "Let me " },
  { text: "look.", thoughtSignature: "sig-text" },
  { functionCall: { id: "1", name: "look", args: { of: "1", kept: 1 } }, thoughtSignature: "sig-call" },
  { functionCall: { name: "look", args: {} } },
  { text: "", thoughtSignature: "sig-end" },
];

test("a round of this turn is sent as it came, instead of its items; an id that was minted here is not sent", () => {
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

test("a replayed round whose first call came without its signature is sent with the word for that", () => {
  const calls = ["1", "2"].map((id) => ({ functionCall: { id, name: "look", args: {} } }));
  const items = [userMessage("U"), state(calls, "1", "2"), call("1"), call("2"), result("1"), result("2")];
  assert.deepEqual(
    contentsOf(...items)[1],
    model({ ...calls[0], thoughtSignature: "skip_thought_signature_validator" }, calls[1]),
  );
  assert.deepEqual(encode(items, null, "gemini-2.5-pro").contents[1], model(...calls));
});

test("several rounds of a turn are each sent as they came; an earlier turn is rebuilt", () => {
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

test("a text between calls, which stands behind the first result in a history, is not doubled", () => {
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

test("each text of a round is said once; the same words added by a client are said again", () => {
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

test("calls that were dropped by a limit are not sent again: nobody answered them", () => {
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

test("what a client added while the calls waited is kept beside the round", () => {
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

test("a state that is not of this family is passed over", () => {
  for (const foreign of [
    null,
    "x",
    {},
    { reasoning: "r" },
    { parts: [1], callIds: [] },
    { parts: PARTS, callIds: ["1"] },
  ]) {
    assert.deepEqual(contentsOf(userMessage("U"), { type: "state", state: foreign }, call("1"), result("1")), [
      user("U"),
      model(wireCall("1")),
      responses("1"),
    ]);
  }
});

test("a content may have more parts than a function may have arguments", () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => `c${index}`);
  const calls = ids.map((id) => call(id));
  const results = ids.map((id) => result(id));
  const { contents } = encode([userMessage("?"), answer("Let me see."), ...calls, ...results]);
  assert.deepEqual(
    contents.map(({ parts }) => parts.length),
    [1, ids.length + 1, ids.length],
  );
});
