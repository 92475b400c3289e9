// POST /v1/responses: calling tools and answering them. @spec endpoints/post-responses (Tool loop); docs/wire.md
// (Waiting calls, Tool outputs)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { TOOLS, output, waitingOn } from "./tool-loop.ts";

const service = await serviceForFile();

const waiting = waitingOn(service);

function times(count: number): Loose {
  const multiplied = (value: Loose): Loose =>
    typeof value === "number"
      ? value * count
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, multiplied(member)]));
  return multiplied(USAGE);
}

test("a response that ends in calls is completed with usage, and is retrieved like that", async () => {
  const { json, text } = await waiting(["a", "b"]);
  assert.deepEqual(
    json.output.map(({ type, call_id, status }: Loose) => [type, call_id, status]),
    [
      ["function_call", "a", "completed"],
      ["function_call", "b", "completed"],
    ],
  );
  assert.deepEqual(json.usage, USAGE);
  assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).text, text);
});

test("an output continues the turn: calls precede their results, and the tool's name is sent", async () => {
  const first = await waiting(["a", "b"]);
  const second = await service.create({
    input: [output("b", "B"), output("a", "A")],
    previous_response_id: first.json.id,
  });
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(service.provider.calls.at(-1)?.prompt.items, [
    { type: "message", role: "user", text: "Look it up" },
    { type: "call", callId: "a", name: "look_up", arguments: "{}" },
    { type: "call", callId: "b", name: "look_up", arguments: "{}" },
    { type: "result", callId: "a", name: "look_up", output: "A" },
    { type: "result", callId: "b", name: "look_up", output: "B" },
  ]);
  assert.equal("svc:warnings" in second.json, false);
});

test("the rounds of a turn report one previous_response_id and the running total of usage; a new response starts from zero", async () => {
  const opening = await service.create({ input: "Hi" });
  const first = await waiting(["a"], { previous_response_id: opening.json.id });
  service.provider.plays(calls({ callId: "b" }), says("Done"));
  const second = await service.create({ input: [output("a")], previous_response_id: first.json.id });
  const third = await service.create({ input: [output("b")], previous_response_id: second.json.id });
  for (const [round, { json }] of [first, second, third].entries()) {
    assert.equal(json.previous_response_id, opening.json.id);
    assert.deepEqual(json.usage, times(round + 1));
  }
  const next = await service.create({ input: "Thanks", previous_response_id: third.json.id });
  assert.equal(next.json.previous_response_id, third.json.id);
  assert.deepEqual(next.json.usage, USAGE);
});

test("an earlier round of a first response reports null, and so do its later ones", async () => {
  const first = await waiting(["a"]);
  const second = await service.create({ input: [output("a")], previous_response_id: first.json.id });
  assert.deepEqual([first.json.previous_response_id, second.json.previous_response_id], [null, null]);
});

test("tools, tool_choice, max_tool_calls and safety_identifier are the turn's; the request's own are not even read", async () => {
  const inherited = {
    tools: TOOLS,
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look_up" }] },
    max_tool_calls: 3,
    safety_identifier: "someone",
  };
  const first = await waiting(["a"], inherited);
  const second = await service.create({
    input: [output("a")],
    previous_response_id: first.json.id,
    tools: [{ type: "function", name: "other" }],
    tool_choice: { type: "function", name: "nowhere" },
    max_tool_calls: 0,
    safety_identifier: "x".repeat(100),
  });
  assert.equal(second.status, 200, second.text);
  for (const [field, value] of Object.entries(inherited)) assert.deepEqual(second.json[field], value, field);
  const retrieved = await service.request("GET", `/v1/responses/${second.json.id}`);
  assert.equal(retrieved.text, second.text);
  const { prompt } = service.provider.calls.at(-1) ?? {};
  assert.deepEqual(prompt?.tools, TOOLS);
  assert.match(prompt?.endUserHash ?? "", /^[0-9a-f]+$/);
});

test("instructions, settings, metadata, truncation and include of a request with tool outputs are its own", async () => {
  const first = await waiting(["a"], {
    instructions: "one",
    metadata: { a: "1" },
    temperature: 0.5,
    truncation: "auto",
    max_output_tokens: 300,
  });
  const second = await service.create({
    input: [output("a")],
    previous_response_id: first.json.id,
    instructions: "two",
  });
  const { instructions, metadata, temperature, truncation, max_output_tokens } = second.json;
  assert.deepEqual(
    { instructions, metadata, temperature, truncation, max_output_tokens },
    {
      instructions: "two",
      metadata: null,
      temperature: 1,
      truncation: "disabled",
      max_output_tokens: 300,
    },
  );
});

test("items beside outputs are ignored, with a warning", async () => {
  const first = await waiting(["a"]);
  const input = [
    { role: "user", content: "Look it up" },
    { type: "function_call", call_id: "a", name: "look_up", arguments: "{}" },
    output("a"),
  ];
  const second = await service.create({ input, previous_response_id: first.json.id });
  assert.equal(second.status, 200, second.text);
  assert.deepEqual(
    second.json["svc:warnings"].map(({ code, param }: Loose) => [code, param]),
    [["input_items_ignored", "input"]],
  );
  assert.equal(service.provider.calls.at(-1)?.prompt.items.length, 3);
});

test("a history resent whole, earlier exchanges included, is ignored except for the waiting calls' outputs", async () => {
  const first = await waiting(["a"]);
  service.provider.plays(calls({ callId: "b" }));
  const second = await service.create({ input: [output("a")], previous_response_id: first.json.id });
  const input = [
    { role: "user", content: "Look it up" },
    { type: "function_call", call_id: "a", name: "look_up", arguments: "{}" },
    output("a"),
    { type: "function_call", call_id: "b", name: "look_up", arguments: "{}" },
    output("b"),
  ];
  const third = await service.create({ input, previous_response_id: second.json.id });
  assert.equal(third.status, 200, third.text);
  assert.deepEqual(
    service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type),
    ["message", "call", "result", "call", "result"],
  );
});

test("outputs are accepted through the conversation too", async () => {
  const conversation = await service.request("POST", "/v1/conversations");
  const named = { conversation: conversation.json.id };
  const first = await waiting(["a"], named);
  service.provider.plays(calls({ callId: "b" }), says("Done"));
  const second = await service.create({ input: [output("a")], ...named });
  const third = await service.create({ input: [output("b")], conversation: { id: conversation.json.id } });
  assert.equal(third.status, 200, third.text);
  assert.deepEqual(third.json.conversation, { id: conversation.json.id });
  assert.deepEqual(
    [first, second, third].map(({ json }) => [json.previous_response_id, json.usage.total_tokens]),
    [
      [null, 15],
      [null, 30],
      [null, 45],
    ],
  );
  const { json } = await service.request("GET", `/v1/conversations/${conversation.json.id}/items`);
  assert.deepEqual(
    json.data.map(({ type }: Loose) => type),
    ["message", "function_call", "function_call_output", "function_call", "function_call_output", "message"],
  );
});

test("an agent that repeats the response's previous_response_id on every step finds its waiting call", async () => {
  const opening = await service.create({ input: "Hi" });
  const same = { previous_response_id: opening.json.id };
  const first = await waiting(["a"], same);
  service.provider.plays(calls({ callId: "b" }), says("Done"));
  const second = await service.create({ input: [output("a")], ...same });
  const third = await service.create({ input: [output("b")], ...same });
  assert.equal(third.status, 200, third.text);
  assert.deepEqual(
    [first, second, third].map(({ json }) => [json.previous_response_id, json.usage.total_tokens]),
    [
      [opening.json.id, 15],
      [opening.json.id, 30],
      [opening.json.id, 45],
    ],
  );
  assert.equal(third.json.output[0].content[0].text, "Done");
});

describe("rejected with param input", () => {
  test("outputs for some waiting calls only, naming the missing ones", async () => {
    const first = await waiting(["a", "b", "c"]);
    const reply = await service.create({ input: [output("b")], previous_response_id: first.json.id });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "input", message: /missing: a, c/ });
    const whole = await service.create({
      input: ["a", "b", "c"].map((callId) => output(callId)),
      previous_response_id: first.json.id,
    });
    assert.equal(whole.status, 200);
  });

  test("an output for a call that is not waiting, naming it", async () => {
    const first = await waiting(["a"]);
    for (const input of [[output("z")], [output("a"), output("z")]]) {
      const reply = await service.create({ input, previous_response_id: first.json.id });
      assertApiError(reply, { status: 400, code: "invalid_input", param: "input", message: /"z"/ });
    }
  });

  test("an output given twice in one request, or for a call that was answered", async () => {
    const first = await waiting(["a"]);
    const twice = await service.create({ input: [output("a"), output("a")], previous_response_id: first.json.id });
    assertApiError(twice, { status: 400, code: "invalid_input", param: "input", message: /"a"/ });
    const second = await service.create({ input: [output("a")], previous_response_id: first.json.id });
    const again = await service.create({ input: [output("a")], previous_response_id: second.json.id });
    assertApiError(again, { status: 400, code: "invalid_input", param: "input", message: /"a"/ });
  });

  test("a new user turn while calls wait, naming them and both ways to continue", async () => {
    const conversation = await service.request("POST", "/v1/conversations");
    const first = await waiting(["a", "b"], { conversation: conversation.json.id });
    for (const route of [{ previous_response_id: first.json.id }, { conversation: conversation.json.id }]) {
      const reply = await service.create({ input: "Never mind", ...route });
      const message = new RegExp(`a, b.*function_call_output.*${first.json.id}`);
      assertApiError(reply, { status: 400, code: "invalid_input", param: "input", message });
    }
    await service.request("DELETE", `/v1/responses/${first.json.id}`);
    const recovered = await service.create({ input: "Never mind", conversation: conversation.json.id });
    assert.equal(recovered.status, 200, recovered.text);
    assert.deepEqual(service.provider.calls.at(-1)?.prompt.items, [
      { type: "message", role: "user", text: "Never mind" },
    ]);
  });

  test("an output for a response without waiting calls", async () => {
    const first = await service.create({ input: "Hi" });
    const reply = await service.create({ input: [output("a")], previous_response_id: first.json.id });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "input", message: /"a"/ });
  });
});

test("a round state is sent back in the turn's later rounds, and never after the response", async () => {
  const state = { signature: "opaque" };
  service.provider.plays([[{ type: "state", state }], ...calls({ callId: "a" })]);
  const first = await service.create({ input: "Look", tools: TOOLS });
  const second = await service.create({ input: [output("a")], previous_response_id: first.json.id });
  assert.deepEqual(
    service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type),
    ["message", "state", "call", "result"],
  );
  await service.create({ input: "More", previous_response_id: second.json.id });
  const types = service.provider.calls.at(-1)?.prompt.items.map(({ type }) => type);
  assert.deepEqual(types, ["message", "call", "result", "assistant", "message"]);
  assert.equal(JSON.stringify(first.json).includes("opaque"), false);
});
