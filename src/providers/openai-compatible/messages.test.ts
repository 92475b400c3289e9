import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { createWireNames } from "../wire/wire-names.ts";
import { toolNamesOf } from "../wire/tools.ts";
import { encodeMessages } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";

function encode(
  items: readonly PromptItem[],
  instructions: string | null = null,
  model: Parameters<typeof traitsOf>[0] = { upstreamModel: "llama3.3:70b" },
) {
  const prompt = samplePrompt(items, { instructions });
  return encodeMessages(prompt, { traits: traitsOf(model), toolNames: createWireNames(toolNamesOf(prompt)) });
}
const encodeFor = (upstreamModel: string, ...items: PromptItem[]) => encode(items, null, { upstreamModel });
const wireCall = (id: string, name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: `{"of":"${id}"}` },
});

test("instructions, system and developer messages are one message, the first", () => {
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

test("calls are in the message of their response, their results directly after it in the order of the calls", () => {
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

test("a result from later in the history still follows its call", () => {
  assert.deepEqual(encode([call("1"), userMessage("U"), result("1")]), [
    { role: "assistant", content: null, tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "out 1" },
    { role: "user", content: "U" },
  ]);
});

test("rounds stay apart", () => {
  assert.deepEqual(encode([call("1"), result("1"), call("2"), result("2")]), [
    { role: "assistant", content: null, tool_calls: [wireCall("1")] },
    { role: "tool", tool_call_id: "1", content: "out 1" },
    { role: "assistant", content: null, tool_calls: [wireCall("2")] },
    { role: "tool", tool_call_id: "2", content: "out 2" },
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

test("models of Mistral are sent ids of nine letters and digits, and an assistant message after results", () => {
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

test("models that require alternating roles are sent neighbours of one role as one message, others unchanged", () => {
  const commentary: PromptItem = { type: "assistant", text: "Let me see.", isRefusal: false, phase: "commentary" };
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
    content: null,
    tool_calls: [wireCall("1", "tool")],
  });
});

test("arguments that are not a JSON object are wrapped under one key: servers reject a history with them", () => {
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
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: wire } }],
    });
  }
});

test("a refusal is sent as its text, and left out when it has none", () => {
  assert.deepEqual(encode([userMessage("U"), answer("No.", true), userMessage("V"), answer("", true)]), [
    { role: "user", content: "U" },
    { role: "assistant", content: "No." },
    { role: "user", content: "V" },
  ]);
});

test("reasoning is sent back in the field in which it was received, with its round", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    stateOf({ reasoning: "first" }),
    call("1"),
    result("1"),
    stateOf({ reasoning_content: "second" }),
    answer("Hm"),
    call("2"),
    result("2"),
  ];
  const assistants = encodeFor("gpt-oss:20b", ...items).filter(({ role }) => role === "assistant");
  assert.deepEqual(assistants, [
    { role: "assistant", content: null, tool_calls: [wireCall("1")], reasoning: "first" },
    { role: "assistant", content: "Hm", tool_calls: [wireCall("2")], reasoning_content: "second" },
  ]);
});

test("reasoning is sent back to models that are known to need it or whose entry says so, and to no other", () => {
  const items: PromptItem[] = [userMessage("U"), stateOf({ reasoning: "thought" }), call("1"), result("1")];
  const goesBack = (upstreamModel: string, replaysReasoning?: boolean) => {
    const model = replaysReasoning === undefined ? { upstreamModel } : { upstreamModel, replaysReasoning };
    return encode(items, null, model).some((message) => "reasoning" in message && message.reasoning === "thought");
  };
  const needy = [
    "deepseek-reasoner",
    "deepseek-v4-pro",
    "deepseek-ai/DeepSeek-V3.2",
    "accounts/fireworks/models/deepseek-v3p2",
    "deepseek-v3-2-251201",
    "moonshotai/Kimi-K2-Thinking",
    "kimi-k2.6",
    "zai-org/GLM-4.5-Air",
    "glm-4.7:cloud",
    "glm-5.2",
    "MiniMaxAI/MiniMax-M2",
    "minimax-m2.5:cloud",
    "gpt-oss:20b",
    "openai/gpt-oss-120b",
    "XiaomiMiMo/MiMo-V2-Flash",
  ];
  const others = [
    "llama3.3:70b",
    "qwen3:8b",
    "deepseek-r1:8b",
    "deepseek-v3.1",
    "glm-4.1v",
    "glm-4-9b",
    "grok-4",
    "gpt-5.4",
    "moonshotai/kimi-k2-instruct-0905",
  ];
  for (const model of needy) {
    assert.equal(goesBack(model), true, model);
    assert.equal(goesBack(model, false), false, model);
  }
  for (const model of others) {
    assert.equal(goesBack(model), false, model);
    assert.equal(goesBack(model, true), true, model);
  }
});

test("models that reject a message without reasoning are sent a blank one where there is none", () => {
  const items: PromptItem[] = [
    userMessage("U"),
    answer("A"),
    userMessage("V"),
    call("1"),
    result("1"),
    stateOf({ reasoning_content: "thought" }),
    call("2"),
    result("2"),
  ];
  const reasoningOf = (upstreamModel: string, replaysReasoning?: boolean) =>
    encode(items, null, { upstreamModel, ...(replaysReasoning === undefined ? {} : { replaysReasoning }) }).flatMap(
      (message) => (message.role === "assistant" ? [message.reasoning_content ?? null] : []),
    );
  for (const model of [
    "deepseek-v4-pro",
    "deepseek-ai/DeepSeek-V4.1-Flash",
    "deepseek-reasoner",
    "moonshotai/kimi-k3",
  ]) {
    assert.deepEqual(reasoningOf(model), [" ", " ", "thought"]);
    // Its entry says that the server rejects the field.
    assert.deepEqual(reasoningOf(model, false), [null, null, null]);
  }
  assert.deepEqual(reasoningOf("gpt-oss:20b"), [null, null, "thought"]);
  for (const model of ["llama3.3:70b", "deepseek-r1:8b", "deepseek-v3", "moonshotai/Kimi-K2-Instruct-0905"]) {
    assert.deepEqual(reasoningOf(model), [null, null, null]);
  }
});

test("a state of another family is not sent", () => {
  for (const state of [null, 4, "x", [], { other: 1 }, { reasoning: 2 }]) {
    assert.deepEqual(encode([stateOf(state), call("1")])[0], {
      role: "assistant",
      content: null,
      tool_calls: [wireCall("1")],
    });
  }
});
