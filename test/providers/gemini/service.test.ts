// The whole service with Gemini: requests and replies of clients, and the requests that reach the provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { streamFixture, streamParts } from "./gemini-server.ts";
import { MODEL, startOnGemini } from "./service-setup.ts";

const { server, service, bodies, create } = await startOnGemini();

const TOOLS = [
  { type: "function", name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
];

const output = (callId: string, words: string) => ({ type: "function_call_output", call_id: callId, output: words });

const user = (text: string) => ({ role: "user", parts: [{ text }] });

const model = (...parts: object[]) => ({ role: "model", parts });

test("a text arrives complete, with usage and the reasoning that applied", async () => {
  server.script(streamFixture("thinking"));
  const { json } = await create({ input: "Hi", instructions: "Be brief.", temperature: 0.5 });
  assert.equal(json.status, "completed");
  assert.deepEqual(
    json.output.map(({ type }: Loose) => type),
    ["reasoning", "message"],
  );
  assert.equal(json.output[1].content[0].text, "Hi!");
  assert.deepEqual(json.usage, {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 43,
    output_tokens_details: { reasoning_tokens: 41 },
    total_tokens: 55,
  });
  assert.deepEqual(json.reasoning, { effort: "medium", summary: "auto" });
  assert.deepEqual(bodies(), [
    {
      contents: [user("Hi")],
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: {
        maxOutputTokens: 65_536,
        temperature: 0.5,
        thinkingConfig: { thinkingLevel: "MEDIUM", includeThoughts: true },
      },
    },
  ]);
});

test("a stream has its events in order and ends completed", async () => {
  server.script(streamFixture("text"));
  const { events } = await service.stream({ model: MODEL, input: "Hi" });
  const text = events
    .filter(({ event }) => event === "response.output_text.delta")
    .map(({ data }) => data.delta)
    .join("");
  assert.equal(text, "Hello there, wörld 🎉漢字!");
  assert.equal(events.at(-1)?.event, "response.completed");
});

test("a later turn has the earlier ones as text only, without thoughts and signatures", async () => {
  server.script(streamFixture("thinking"), streamFixture("text"));
  const { json: first } = await create({ input: "Hi" });
  await create({ input: "And you?", previous_response_id: first.id });
  assert.deepEqual(bodies()[1]?.contents, [user("Hi"), model({ text: "Hi!" }), user("And you?")]);
});

/** The parts that the fixtures of the tool rounds sent. */
const FIRST_ROUND = [
  { text: "I should look it up.", thought: true },
  { text: "Let me see." },
  { functionCall: { name: "get_weather", args: { city: 'Zürich "x"' }, id: "c1" }, thoughtSignature: "sig1" },
];

const SECOND_ROUND = [
  { functionCall: { name: "get_weather", args: { city: "Bern" }, id: "d1" }, thoughtSignature: "sig2" },
  { functionCall: { name: "get_weather", args: { city: "Basel" } } },
  { text: "", thoughtSignature: "sig-end" },
];

test("the rounds of a turn are sent back unchanged, with signatures; the next turn rebuilds them", async () => {
  server.script(
    streamFixture("tool-thinking"),
    streamParts(SECOND_ROUND),
    streamParts([{ text: "Rain." }]),
    streamParts([{ text: "Bye." }]),
  );
  const { json: first } = await create({ input: "Weather?", tools: TOOLS });
  assert.deepEqual(
    first.output.map(({ type }: Loose) => type),
    ["reasoning", "message", "function_call"],
  );
  assert.equal(first.output[2].call_id, "c1");

  const { json: second } = await create({ previous_response_id: first.id, input: [output("c1", "sun")] });
  const [bern, basel] = second.output.map(({ call_id }: Loose) => call_id);
  assert.equal(bern, "d1");

  const answers = [output(bern, "fog"), output(basel, "rain")];
  const { json: third } = await create({ previous_response_id: second.id, input: answers });
  assert.equal(third.output[0].content[0].text, "Rain.");
  const response = (name: object, words: string) => ({
    functionResponse: { ...name, name: "get_weather", response: { output: words } },
  });
  const inTurn = [
    user("Weather?"),
    model(...FIRST_ROUND),
    { role: "user", parts: [response({ id: "c1" }, "sun")] },
    model(...SECOND_ROUND),
    // The second call came without an id: the one created for the client is unknown to the provider.
    { role: "user", parts: [response({ id: "d1" }, "fog"), response({}, "rain")] },
  ];
  assert.deepEqual(bodies()[2]?.contents, inTurn);
  assert.deepEqual(bodies()[2]?.tools, bodies()[0]?.tools);

  await create({ previous_response_id: third.id, input: "Thanks" });
  const rebuilt = (id: string, city: string) => ({
    functionCall: { id, name: "get_weather", args: { city } },
    thoughtSignature: "skip_thought_signature_validator",
  });
  assert.deepEqual(bodies()[3]?.contents, [
    user("Weather?"),
    model({ text: "Let me see." }, rebuilt("c1", 'Zürich "x"')),
    { role: "user", parts: [response({ id: "c1" }, "sun")] },
    model(rebuilt("d1", "Bern"), rebuilt(basel, "Basel")),
    { role: "user", parts: [response({ id: "d1" }, "fog"), response({ id: basel }, "rain")] },
    model({ text: "Rain." }),
    user("Thanks"),
  ]);
});

test("calls beyond a limit are not sent back with their round", async () => {
  server.script(streamFixture("tools-parallel"), streamParts([{ text: "ok" }]));
  const { json } = await create({ input: "Weather?", tools: TOOLS, max_tool_calls: 1 });
  assert.equal(json["svc:tool_calls_dropped"], 2);
  await create({ previous_response_id: json.id, input: [output("c1", "sun")] });
  const parts = bodies()[1]?.contents.map((content) => content.parts.length);
  assert.deepEqual(parts, [1, 1, 1]);
});

test("a turn that continues on another model of the family is sent without signatures", async () => {
  server.script(streamFixture("tool"), streamParts([{ text: "ok" }]));
  const { json } = await create({ input: "Weather?", tools: TOOLS });
  await service.create({
    model: "google/gemini-4-argon",
    previous_response_id: json.id,
    input: [output("call_129591", "sun")],
  });
  const call = bodies()[1]?.contents[1]?.parts[0] as Loose;
  assert.equal(call.thoughtSignature, "skip_thought_signature_validator");
  assert.deepEqual(call.functionCall, { id: "call_129591", name: "get_weather", args: { city: "Paris", days: 2 } });
});

test("a history continues with another family, and comes back", async () => {
  server.script(streamFixture("text"), streamFixture("text"));
  const { json: first } = await create({ input: "Hi" });
  const { json: second } = await service.create({
    model: "simulated/echo",
    previous_response_id: first.id,
    input: "/say From elsewhere",
  });
  await create({ previous_response_id: second.id, input: "And back" });
  assert.deepEqual(bodies()[1]?.contents, [
    user("Hi"),
    model({ text: "Hello there, wörld 🎉漢字!" }),
    user("/say From elsewhere"),
    model({ text: "From elsewhere" }),
    user("And back"),
  ]);
});

test("a carried exchange has no name of its tool", async () => {
  server.script(streamFixture("text"));
  await create({
    input: [
      { type: "function_call", call_id: "x1", name: "secret_name", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "x1", output: "one" },
      { role: "user", content: "Go on" },
    ],
  });
  const [body] = bodies();
  assert.ok(!JSON.stringify(body).includes("secret_name"));
  assert.deepEqual(
    body?.contents.map(({ role }) => role),
    ["user", "model", "user", "user"],
  );
});

test("a json_schema is sent in the provider's keywords, and the output checked by the client's", async () => {
  server.script(streamParts([{ text: '{"kind":"b"}' }]), streamParts([{ text: '{"kind":"a"}' }]));
  const schema = {
    type: "object",
    properties: { kind: { const: "a" } },
    required: ["kind"],
    additionalProperties: false,
  };
  const text = { format: { type: "json_schema", name: "n", schema } };
  const { json: wrong } = await create({ input: "Kind?", text });
  assert.deepEqual(
    wrong["svc:warnings"].map(({ code }: Loose) => code),
    ["output_not_valid"],
  );
  const { json: right } = await create({ input: "Kind?", text });
  assert.ok(!("svc:warnings" in right));
  const sent = bodies()[0]?.generationConfig["responseJsonSchema"] as Loose;
  assert.deepEqual(sent?.properties.kind, { enum: ["a"], type: "string" });
});

test("group B's settings are accepted, others are rejected by name before the provider is called", async () => {
  server.script(streamFixture("text"));
  const settings = { temperature: 2, top_p: 1, presence_penalty: -2, frequency_penalty: 2 };
  assert.equal((await create({ input: "Hi", ...settings })).json.status, "completed");
  for (const wrong of [{ parallel_tool_calls: false }, { text: { verbosity: "low" } }, { temperature: 2.1 }]) {
    const [param = ""] = Object.keys(wrong);
    assertApiError(await create({ input: "Hi", ...wrong }), { status: 400, code: "invalid_input", param });
  }
  assert.equal(bodies().length, 1);
});

test("a schema for the text beside a forced call is a 400", async () => {
  const text = { format: { type: "json_schema", name: "n", schema: { type: "object", properties: {} } } };
  const tools = [{ type: "function", name: "look" }];
  const reply = await create({ input: "Hi", text, tools, tool_choice: "required" });
  assertApiError(reply, { status: 400, code: "invalid_input", param: "text", message: /tool_choice/ });
  assert.equal(bodies().length, 0);
});

test("an older model: a schema for the text beside tools is a 400, and Gemma 3 has its instructions in the first content", async () => {
  const text = { format: { type: "json_schema", name: "n", schema: { type: "object", properties: {} } } };
  const reply = await create({ model: "google/gemini-2.5-flash-lite", input: "Hi", text, tools: TOOLS });
  assertApiError(reply, { status: 400, code: "invalid_input", param: "text", message: /beside tools/ });
  server.script(streamFixture("text"));
  await create({ model: "google/gemma-3-27b-it", input: "Hi", instructions: "Be brief." });
  assert.equal(bodies().length, 1);
  assert.equal(bodies()[0]?.systemInstruction, undefined);
  assert.deepEqual(bodies()[0]?.contents, [{ role: "user", parts: [{ text: "Be brief." }, { text: "Hi" }] }]);
});

test("an end user that cannot be sent causes a warning", async () => {
  server.script(streamFixture("text"));
  const { json } = await create({ input: "Hi", safety_identifier: "user-1" });
  assert.deepEqual(
    json["svc:warnings"].map(({ code }: Loose) => code),
    ["safety_identifier_not_sent"],
  );
  assert.ok(!JSON.stringify(bodies()).includes("user-1"));
});
