import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/turn/prompt.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { encodeMessages } from "./messages.ts";

const encode = (items: readonly PromptItem[], instructions: string | null = null) =>
  encodeMessages(samplePrompt(items, { instructions }));
const answer = (text: string, declined = false): PromptItem => ({ type: "answer", text, declined, phase: null });
const call = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "call",
  callId,
  name,
  arguments: `{"of":"${callId}"}`,
});
const result = (callId: string): PromptItem => ({ type: "result", callId, name: "look", output: `out ${callId}` });
const wireCall = (id: string, name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: `{"of":"${id}"}` },
});

test("instructions and the words of system and developer are one message, the first", () => {
  const items: PromptItem[] = [
    { type: "message", role: "system", text: "S" },
    userMessage("U"),
    answer("A"),
    { type: "message", role: "developer", text: "D" },
    userMessage("V"),
  ];
  assert.deepEqual(encode(items, "I"), [
    { role: "system", content: "I\n\nS\n\nD" },
    { role: "user", content: "U" },
    { role: "assistant", content: "A" },
    { role: "user", content: "V" },
  ]);
});

test("calls stand in the message of their answer, their results right behind it in the order of the calls", () => {
  assert.deepEqual(
    encode([userMessage("U"), answer("Looking"), call("1"), call("2"), result("2"), result("1"), answer("Done")]),
    [
      { role: "user", content: "U" },
      { role: "assistant", content: "Looking", tool_calls: [wireCall("1"), wireCall("2")] },
      { role: "tool", tool_call_id: "1", content: "out 1" },
      { role: "tool", tool_call_id: "2", content: "out 2" },
      { role: "assistant", content: "Done" },
    ],
  );
});

test("a result that stands later in the history still follows its call", () => {
  assert.deepEqual(encode([call("1"), userMessage("U"), result("1")]), [
    { role: "assistant", content: "", tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "out 1" },
    { role: "user", content: "U" },
  ]);
});

test("rounds stay apart, also when a server uses its ids again", () => {
  const second: PromptItem = { type: "result", callId: "1", name: "look", output: "again" };
  assert.deepEqual(encode([call("1"), result("1"), call("1"), second]), [
    { role: "assistant", content: "", tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "out 1" },
    { role: "assistant", content: "", tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "again" },
  ]);
});

test("the name of a carried call is not sent", () => {
  assert.deepEqual(encode([call("1", null), result("1")])[0], {
    role: "assistant",
    content: "",
    tool_calls: [wireCall("1", "tool")],
  });
});

test("arguments that are no JSON object are told whole under one key: servers refuse a history that holds them", () => {
  const rows: [string, string][] = [
    ['{"city": "Bonn" }\n', '{"city": "Bonn" }\n'],
    ['{"city": "Bo', '{"arguments":"{\\"city\\": \\"Bo"}'],
    ['["Bonn"]', '{"arguments":"[\\"Bonn\\"]"}'],
    ["Bonn", '{"arguments":"Bonn"}'],
    [" ", "{}"],
  ];
  for (const [text, wire] of rows) {
    const items: PromptItem[] = [{ type: "call", callId: "1", name: "look", arguments: text }, result("1")];
    assert.deepEqual(encode(items)[0], {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: wire } }],
    });
  }
});

test("an answer that declined is repeated by its words, and left out without any", () => {
  assert.deepEqual(encode([userMessage("U"), answer("No.", true), userMessage("V"), answer("", true)]), [
    { role: "user", content: "U" },
    { role: "assistant", content: "No." },
    { role: "user", content: "V" },
  ]);
});

test("reasoning goes back under the name it came by, with the round it belongs to", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    { type: "state", state: { reasoning: "first" } },
    call("1"),
    result("1"),
    { type: "state", state: { reasoning_content: "second" } },
    answer("Hm"),
    call("2"),
    result("2"),
  ];
  const assistants = encode(items).filter(({ role }) => role === "assistant");
  assert.deepEqual(assistants, [
    { role: "assistant", content: "", tool_calls: [wireCall("1")], reasoning: "first" },
    { role: "assistant", content: "Hm", tool_calls: [wireCall("2")], reasoning_content: "second" },
  ]);
});

test("a state that is not ours is not sent", () => {
  for (const state of [null, 4, "x", [], { other: 1 }, { reasoning: 2 }]) {
    assert.deepEqual(encode([{ type: "state", state }, call("1")])[0], {
      role: "assistant",
      content: "",
      tool_calls: [wireCall("1")],
    });
  }
});
