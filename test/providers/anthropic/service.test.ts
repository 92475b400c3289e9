// The whole service with this family: requests and replies of clients, and the requests that reach the provider. The
// fake provider rejects the same requests as the real one, so a completed turn was requested correctly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANTHROPIC_MODELS } from "../../../src/providers/anthropic/models.ts";
import { MESSAGES_KEY } from "../../support/fake-messages.ts";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { callsOf, TOOLS } from "../service-on-fake.ts";
import { codesOf, MODEL, startOnAnthropic, textOf } from "./service-setup.ts";

const { service, calls, lastBody, create, assertCompleted, answerCalls } = await startOnAnthropic();

test("a conversation: instructions, history, usage, the end user, the headers of the wire", async () => {
  const first = assertCompleted(
    await create({
      input: "/usage input=100 cached=40 output=7 reasoning=3\nHi",
      instructions: "Be brief.",
      safety_identifier: "u1",
    }),
  );
  assert.equal(textOf(first), "Hi");
  assert.deepEqual(first.json.usage, {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 107,
  });
  assert.deepEqual(first.json.reasoning, { effort: "medium", summary: "auto" });
  const { headers, body } = calls()[0] as Loose;
  assert.equal(headers["x-api-key"], MESSAGES_KEY);
  assert.equal(headers.authorization, undefined);
  assert.equal(body.system[0].text, "Be brief.");
  assert.match(body.metadata.user_id, /^[0-9a-f]{32,}$/);
  assert.doesNotMatch(JSON.stringify(body), /u1/);

  assertCompleted(await create({ previous_response_id: first.json.id, input: "And now?", max_output_tokens: 500 }));
  assert.equal(lastBody().system, undefined);
  assert.equal(lastBody().max_tokens, 500);
  assert.deepEqual(
    lastBody().messages.map(({ role }: Loose) => role),
    ["user", "assistant", "user"],
  );
});

test("a refusal ends the text with an empty refusal part, and the conversation continues without that exchange", async () => {
  const first = assertCompleted(await create({ input: "/say One." }));
  const refusal = assertCompleted(
    await create({ previous_response_id: first.json.id, input: "/say Well,\n/refuse I would rather not." }),
  );
  assert.deepEqual(
    refusal.json.output[0].content.map((part: Loose) => part.text ?? part.refusal),
    ["Well,I would rather not.", ""],
  );
  const next = assertCompleted(await create({ previous_response_id: refusal.json.id, input: "/say Three." }));
  assert.equal(textOf(next), "Three.");
  assert.deepEqual(codesOf(next), ["declined_exchanges_not_sent"]);
  assert.deepEqual(
    lastBody().messages.map(({ content }: Loose) => content[0].text),
    ["/say One.", "One.", "/say Three."],
  );
});

test("every form of tool_choice; a forced one only where the model takes it, and without thinking", async () => {
  const two = [...TOOLS, { type: "function", name: "listen" }];
  const forced = [
    "required",
    { type: "function", name: "listen" },
    { type: "allowed_tools", mode: "required", tools: [{ name: "listen" }] },
  ];
  const free = ["auto", "none", { type: "allowed_tools", mode: "auto", tools: [{ name: "look" }] }];
  for (const { id, forcedToolChoice } of ANTHROPIC_MODELS) {
    for (const choice of forced) {
      const answer = await create({ model: id, input: "Go", tools: two, tool_choice: choice });
      if (forcedToolChoice) {
        assertCompleted(answer);
        assert.deepEqual(lastBody().thinking, { type: "disabled" });
        assert.equal(callsOf(answer).length, 1);
        const done = assertCompleted(await answerCalls(answer));
        assert.match(textOf(done), /returned: seen/);
      } else
        assertApiError(answer, { status: 400, code: "invalid_input", param: "tool_choice", message: new RegExp(id) });
    }
    for (const choice of free)
      assertCompleted(await create({ model: id, input: "Go", tools: two, tool_choice: choice }));
  }
});

test("parallel calls off is one call", async () => {
  const input = "/tool look {}\n/tool look {}";
  const answer = assertCompleted(await create({ input, tools: TOOLS, parallel_tool_calls: false }));
  assert.equal(callsOf(answer).length, 1);
  assert.deepEqual(lastBody().tool_choice, { type: "auto", disable_parallel_tool_use: true });
});

test("structured output: keywords that the wire would reject move into the description, and are checked here", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string", minLength: 3 }, age: { type: "integer", minimum: 0 } },
    required: ["name", "age"],
  };
  const text = { format: { type: "json_schema", name: "person", schema, strict: true } };
  const good = assertCompleted(await create({ input: '/say {"name":"Ada","age":36}', text }));
  assert.deepEqual(codesOf(good), []);
  assert.equal(lastBody().output_config.format.schema.properties.name.description, "{minLength: 3}");
  const bad = assertCompleted(await create({ input: '/say {"name":"A","age":36}', text }));
  assert.deepEqual(codesOf(bad), ["output_not_valid"]);
});

test("settings of other groups are rejected before the provider is called", async () => {
  for (const [field, value] of [
    ["temperature", 1],
    ["top_p", 1],
    ["presence_penalty", 0],
    ["frequency_penalty", 0],
    ["text", { verbosity: "medium" }],
  ] as const) {
    assertApiError(await create({ input: "Hi", [field]: value }), { status: 400, code: "invalid_input", param: field });
  }
  assert.equal(calls().length, 0);
});

test("a conversation with every kind of item is accepted by every model", async () => {
  const items = [
    { role: "assistant", content: "Welcome." },
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hello." },
    { role: "developer", content: "Be brief." },
    { type: "function_call", call_id: "call:1", name: "any.thing", arguments: "[1]" },
    { type: "function_call_output", call_id: "call:1", output: "" },
    { role: "assistant", content: "I see." },
    { role: "system", content: "Be right." },
  ];
  for (const { id } of ANTHROPIC_MODELS) {
    const conversation = await service.request("POST", "/v1/conversations", { body: { items } });
    const answer = await create({ model: id, conversation: conversation.json.id, input: "/say Fine." });
    assert.equal(textOf(assertCompleted(answer)), "Fine.");
    assert.match(JSON.stringify(lastBody()), /Be kind\..*Be brief\..*Be right\.|Be brief\..*Be right\..*Be kind\./);
  }
});

test("a carried exchange opens a conversation", async () => {
  const input = [
    { type: "function_call", call_id: "a b", name: "look", arguments: '{"id":12345678901234567890}' },
    { type: "function_call_output", call_id: "a b", output: "seen" },
    { role: "user", content: "/say So it is." },
  ];
  assertCompleted(await create({ input }));
  assert.equal(lastBody().tools.length, 1);
  assert.deepEqual(lastBody().tool_choice, { type: "none" });
  assert.doesNotMatch(JSON.stringify(lastBody()), /"look"/);
});

test("a conversation moves here from another family and back, with its tool exchanges", async () => {
  const start = '/state kept\n/reason Hm.\n/say Let me look.\n/tool look {"at":"x"}\n/then\n/say Seen.';
  const there = { model: "simulated/echo" };
  const first = await create({ ...there, input: start, tools: TOOLS });
  // In the middle of a turn: the state of the other model is left out.
  const second = assertCompleted(await answerCalls(first, { model: MODEL }));
  assert.equal(textOf(second), "Seen.");
  const third = assertCompleted(
    await create({ previous_response_id: second.json.id, input: "/tool look {}", tools: TOOLS }),
  );
  const fourth = assertCompleted(await answerCalls(third, there));
  const fifth = assertCompleted(await create({ ...there, previous_response_id: fourth.json.id, input: "/history" }));
  assert.match(textOf(fifth), /Seen\./);
  assertCompleted(await create({ previous_response_id: fifth.json.id, input: "/say Here again." }));
});

test("tools whose names the wire rejects keep them for the client", async () => {
  const tools = [{ type: "function", name: "weather.now" }];
  const answer = assertCompleted(await create({ input: "/tool weather_now {}", tools }));
  assert.equal(callsOf(answer)[0].name, "weather.now");
  assertCompleted(await answerCalls(answer));
});

test("a map in a schema that Anthropic closes is a 400, in a tool that is not strict it is sent", async () => {
  const parameters = {
    type: "object",
    properties: { t: { type: "object", additionalProperties: { type: "number" } } },
  };
  const format = { type: "json_schema", name: "n", schema: parameters };
  const rejected = { status: 400, code: "invalid_input", message: /additionalProperties/ } as const;
  assertApiError(await create({ input: "Hi", text: { format } }), { ...rejected, param: "text" });
  const tool = { type: "function", name: "look", parameters };
  assertApiError(await create({ input: "Hi", tools: [{ ...tool, strict: true }] }), { ...rejected, param: "tools" });
  assertCompleted(await create({ input: "Hi", tools: [tool] }));
  assert.deepEqual(lastBody().tools[0].input_schema, parameters);
});
