import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/turn/prompt.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { createLabels } from "../labels.ts";
import { toolNamesOf } from "../tools.ts";
import { encodeMessages } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";

function encode(items: readonly PromptItem[], instructions: string | null = null, model = "llama3.3:70b") {
  const prompt = samplePrompt(items, { instructions });
  return encodeMessages(prompt, { traits: traitsOf(model), toolNames: createLabels(toolNamesOf(prompt)) });
}
const encodeFor = (model: string, ...items: PromptItem[]) => encode(items, null, model);
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

test("an id that is empty or longer than 40 characters is sent as a digest, alike in call and result", () => {
  const long = "c".repeat(41);
  const [, { tool_calls: calls }, ...rest] = encode([
    userMessage("U"),
    call(long),
    call(""),
    call("c".repeat(40)),
    result(long),
    result(""),
    result("c".repeat(40)),
  ]) as [unknown, { tool_calls: { id: string }[] }, ...{ tool_call_id: string; content: string }[]];
  const ids = calls.map(({ id }) => id);
  assert.deepEqual(ids[2], "c".repeat(40));
  for (const id of ids) assert.match(id, /^[\w-]{1,40}$/);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(
    rest.map(({ tool_call_id, content }) => [tool_call_id, content]),
    [
      [ids[0], `out ${long}`],
      [ids[1], "out "],
      [ids[2], `out ${"c".repeat(40)}`],
    ],
  );
});

test("models of Mistral are sent ids of nine letters and digits, in turns with a word of the model's behind results", () => {
  for (const model of ["mistral-large-latest", "mistralai/Devstral-Small-2-24B", "open-mixtral-8x22b"]) {
    const [opening, asking, out, bridge, question] = encodeFor(
      model,
      call("toolu_01D7FLrfh4GYq7yT1ULFeyMV", null),
      result("toolu_01D7FLrfh4GYq7yT1ULFeyMV"),
      userMessage("U"),
      userMessage("V"),
    );
    assert.deepEqual(opening, { role: "user", content: "(The conversation begins with the assistant.)" });
    assert.ok(asking?.role === "assistant" && out?.role === "tool");
    assert.match(out.tool_call_id, /^[a-zA-Z0-9]{9}$/);
    assert.equal(asking.tool_calls?.[0]?.id, out.tool_call_id);
    assert.deepEqual(bridge, { role: "assistant", content: "(No answer followed.)" });
    assert.deepEqual(question, { role: "user", content: "U\n\nV" });
  }
  assert.equal(encodeFor("ministral-8b", call("a1B2c3D4e"), result("a1B2c3D4e")).length, 3);
  assert.deepEqual(encodeFor("ministral-8b", userMessage("U"), call("a1B2c3D4e"), result("a1B2c3D4e"))[2], {
    role: "tool",
    tool_call_id: "a1B2c3D4e",
    content: "out a1B2c3D4e",
  });
});

test("models that take turns are sent neighbours of one role as one message, others as they are", () => {
  const commentary: PromptItem = { type: "answer", text: "Let me see.", declined: false, phase: "commentary" };
  const items = [userMessage("U"), answer("", true), userMessage("V"), commentary, answer("A"), call("1"), result("1")];
  assert.deepEqual(encodeFor("google/gemma-3-27b-it", ...items, answer("B")), [
    { role: "user", content: "U\n\nV" },
    { role: "assistant", content: "Let me see.\n\nA", tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "out 1" },
    { role: "assistant", content: "B" },
    { role: "user", content: "Continue." },
  ]);
  assert.deepEqual(
    encode([...items, answer("B")]).map(({ role }) => role),
    ["user", "user", "assistant", "assistant", "tool", "assistant"],
  );
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

test("models that refuse an answer without its reasoning are sent a blank one where there is none", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    answer("A"),
    userMessage("V"),
    call("1"),
    result("1"),
    { type: "state", state: { reasoning_content: "thought" } },
    call("2"),
    result("2"),
  ];
  const reasoningOf = (model: string) =>
    encodeFor(model, ...items).flatMap((message) =>
      message.role === "assistant" ? [message.reasoning_content ?? null] : [],
    );
  for (const model of [
    "deepseek-v4-pro",
    "deepseek-ai/DeepSeek-V4.1-Flash",
    "deepseek-reasoner",
    "moonshotai/kimi-k3",
  ]) {
    assert.deepEqual(reasoningOf(model), [" ", " ", "thought"]);
  }
  for (const model of ["llama3.3:70b", "deepseek-r1:8b", "deepseek-v3"]) {
    assert.deepEqual(reasoningOf(model), [null, null, "thought"]);
  }
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
