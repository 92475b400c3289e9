import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { answer, call } from "../../../test/support/prompt-items.ts";
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

test("instructions, system and developer messages precede the history", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    { type: "message", role: "system", text: "S" },
    { type: "message", role: "developer", text: "D" },
  ];
  assert.deepEqual(encode(items, "I"), { system: [text("I"), text("S"), text("D")], contents: [user("U")] });
  assert.deepEqual(encode([userMessage("U")]).system, []);
});

test("contents alternate between user and model; neighbours of one role are one content", () => {
  assert.deepEqual(contentsOf(userMessage("1"), userMessage("2"), answer("a"), answer("b"), userMessage("3")), [
    user("1", "2"),
    model(text("a"), text("b")),
    user("3"),
  ]);
});

test("a refusal is sent as its text, and left out when it has none", () => {
  assert.deepEqual(contentsOf(userMessage("1"), answer("", true), userMessage("2")), [user("1", "2")]);
  assert.deepEqual(contentsOf(userMessage("1"), answer("No.", true)).slice(0, 2), [user("1"), model(text("No."))]);
});

test("calls are in the content of their response, all their results in the next one", () => {
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

test("contents end with the user, and a replayed call joins the content of the text before it", () => {
  const part = { functionCall: { id: "2", name: "look", args: {} }, thoughtSignature: "sig" };
  const items = [userMessage("U"), call("1"), result("1"), answer("Words of another model.")];
  assert.deepEqual(contentsOf(...items).slice(3), [model(text("Words of another model.")), user("Continue.")]);
  assert.deepEqual(contentsOf(...items, state([part], "2"), call("2"), result("2")).slice(3), [
    model(text("Words of another model."), part),
    responses("2"),
  ]);
});

test("a user's text after results is a content of its own", () => {
  assert.deepEqual(contentsOf(userMessage("U"), call("1"), result("1"), userMessage("V")), [
    user("U"),
    model(wireCall("1")),
    responses("1"),
    user("V"),
  ]);
});

test("a carried call has a neutral name, and a history that begins with one gets a user message first", () => {
  const response = { functionResponse: { id: "1", name: "tool", response: { output: "out 1" } } };
  assert.deepEqual(contentsOf(call("1", null), result("1", null), userMessage("U")), [
    user("(earlier exchange)"),
    model(wireCall("1", "tool")),
    { role: "user", parts: [response] },
    user("U"),
  ]);
});

test("arguments that are not an object are sent as they are", () => {
  const broken: PromptItem = { type: "call", callId: "1", name: "look", arguments: '{"of":' };
  const [, content] = contentsOf(userMessage("U"), broken, result("1"));
  assert.deepEqual(content?.parts[0], {
    functionCall: { id: "1", name: "look", args: { arguments: '{"of":' } },
    thoughtSignature: "skip_thought_signature_validator",
  });
});

test("numbers beyond a double keep their digits, rebuilt and replayed", () => {
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

test("models without signatures are sent no placeholder for a missing one", () => {
  const { contents } = encode([userMessage("U"), call("1"), result("1")], null, "gemini-2.5-flash");
  assert.deepEqual(contents[1], model({ functionCall: { id: "1", name: "look", args: { of: "1" } } }));
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
