// The whole service with Gemini behind it: what a client sends and reads, and what the provider is asked meanwhile.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import type { ProviderRegistry } from "../../../src/ports/provider.ts";
import { GEMINI_MODELS } from "../../../src/providers/gemini/models.ts";
import { createProviderRegistry } from "../../../src/providers/registry.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { createIds } from "../../../src/system/ids.ts";
import type { Loose } from "../../support/http-client.ts";
import { assertRefused } from "../../support/refused.ts";
import { TestService, testModel } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { reportError, retryInfo, startGeminiServer, streamFixture, streamParts } from "./gemini-server.ts";

const KEY = "AIza-canary";
const server = await startGeminiServer();
const providers: ProviderRegistry = createProviderRegistry(
  [
    { name: "gemini", type: "gemini", baseUrl: server.baseUrl, apiKey: KEY },
    { name: "simulated", type: "simulated", baseUrl: null, apiKey: null },
  ],
  { clock: createSystemClock(), ids: createIds() },
);
const service = await TestService.start({
  providers,
  models: [...GEMINI_MODELS, testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" })],
});
after(async () => {
  await service.close();
  await providers.close();
  await server.wire.close();
});

const MODEL = "google/gemini-3.8-flash";
const TOOLS = [
  { type: "function", name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
];
const output = (callId: string, words: string) => ({ type: "function_call_output", call_id: callId, output: words });
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const model = (...parts: object[]) => ({ role: "model", parts });

let asked = 0;
beforeEach(() => {
  asked = server.bodies.length;
});
/** The bodies that the provider got in this test. */
const bodies = () => server.bodies.slice(asked);

const create = (body: object) => service.create({ model: MODEL, ...body });

test("a text comes whole, with usage and the reasoning that applied", async () => {
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

test("a stream climbs the ladder and ends completed", async () => {
  server.script(streamFixture("text"));
  const { events } = await service.stream({ model: MODEL, input: "Hi" });
  const text = events
    .filter(({ event }) => event === "response.output_text.delta")
    .map(({ data }) => data.delta)
    .join("");
  assert.equal(text, "Hello there, wörld 🎉漢字!");
  assert.equal(events.at(-1)?.event, "response.completed");
});

test("a later turn has the earlier ones as text alone: thoughts and signatures stay behind", async () => {
  server.script(streamFixture("thinking"), streamFixture("text"));
  const { json: first } = await create({ input: "Hi" });
  await create({ input: "And you?", previous_response_id: first.id });
  assert.deepEqual(bodies()[1]?.contents, [user("Hi"), model({ text: "Hi!" }), user("And you?")]);
});

/** What the fixtures of the tool rounds sent, part by part. */
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

test("the rounds of a turn go back as they came, signatures and all; the next turn rebuilds them", async () => {
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
    // The second call came without an id: the one that was minted for the client is none of the provider's.
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

test("a turn that is answered on another model of the family leaves the signatures behind", async () => {
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

test("a history goes on with another family, and comes back", async () => {
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

const DECLINED: readonly (readonly [fixture: string, content: object[]])[] = [
  [
    "safety-after-text",
    [
      { type: "output_text", text: "I could say", annotations: [], logprobs: [] },
      { type: "refusal", refusal: "" },
    ],
  ],
  ["safety-before-text", [{ type: "refusal", refusal: "" }]],
  ["prompt-block", [{ type: "refusal", refusal: "" }]],
];
for (const [fixture, content] of DECLINED) {
  test(`${fixture}: a refusal without words behind the text, completed, and the conversation goes on`, async () => {
    server.script(streamFixture(fixture), streamFixture("text"));
    const { json } = await create({ input: "Tell me" });
    assert.equal(json.status, "completed");
    assert.deepEqual(json.output[0].content, content);
    const { json: next } = await create({ input: "Then something else", previous_response_id: json.id });
    assert.equal(next.status, "completed");
  });
}

test("an answer that was cut is incomplete", async () => {
  server.script(streamFixture("max-tokens"));
  const { json } = await create({ input: "Count", max_output_tokens: 16 });
  assert.deepEqual([json.status, json.incomplete_details], ["incomplete", { reason: "max_output_tokens" }]);
  assert.equal(bodies()[0]?.generationConfig["maxOutputTokens"], 16);
});

test("a divided answer is one response with the usage of both parts", async () => {
  server.script(streamFixture("continuation-1"), streamParts([{ text: " a time" }]));
  const { json } = await create({ input: "A story" });
  assert.equal(json.output.at(-1).content[0].text, "Once upon 🎉 a time");
  assert.deepEqual([json.usage.input_tokens, json.usage.output_tokens], [40, 20]);
});

test("a json_schema is asked for in the provider's keywords, and judged by the client's", async () => {
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

test("group B's settings are taken, the others refused by name before anything is asked", async () => {
  server.script(streamFixture("text"));
  const settings = { temperature: 2, top_p: 1, presence_penalty: -2, frequency_penalty: 2 };
  assert.equal((await create({ input: "Hi", ...settings })).json.status, "completed");
  for (const wrong of [{ parallel_tool_calls: false }, { text: { verbosity: "low" } }, { temperature: 2.1 }]) {
    const [param = ""] = Object.keys(wrong);
    assertRefused(await create({ input: "Hi", ...wrong }), { status: 400, code: "invalid_input", param });
  }
  assert.equal(bodies().length, 1);
});

test("an end user that cannot be told is said in a warning", async () => {
  server.script(streamFixture("text"));
  const { json } = await create({ input: "Hi", safety_identifier: "user-1" });
  assert.deepEqual(
    json["svc:warnings"].map(({ code }: Loose) => code),
    ["safety_identifier_not_sent"],
  );
  assert.ok(!JSON.stringify(bodies()).includes("user-1"));
});

test("a limited provider is a 429 with its wait, and nothing is left of the turn", async () => {
  server.script(reportError(429, "RESOURCE_EXHAUSTED", "quota", [retryInfo("34s")]));
  const answer = await create({ input: "Hi" });
  assertRefused(answer, { status: 429, code: "provider_rate_limited", param: null });
  assert.equal(answer.headers["retry-after"], "34");
});

test("an overloaded provider is asked three times, then a 502", async () => {
  const overloaded = reportError(503, "UNAVAILABLE");
  server.script(overloaded, overloaded, overloaded);
  const pauses = () => service.logged.filter(({ event }) => event === "provider.retry").length;
  const before = pauses();
  const answering = create({ input: "Hi" });
  for (const pause of [1, 2]) {
    await until("a pause", () => pauses() === before + pause);
    await service.clock.advance(400);
  }
  assertRefused(await answering, { status: 502, code: "provider_overloaded", param: null });
  assert.equal(bodies().length, 3);
});

const FAILED: readonly (readonly [answer: ReturnType<typeof reportError>, status: number, code: string])[] = [
  [reportError(403, "PERMISSION_DENIED", `bad ${KEY}`), 502, "provider_unavailable"],
  [reportError(404, "NOT_FOUND"), 502, "provider_unavailable"],
  [({ socket }) => void socket.resetAndDestroy(), 502, "provider_unavailable"],
  [reportError(400, "INVALID_ARGUMENT", `bad ${KEY}`), 200, "provider_client_error"],
  [streamFixture("broken-malformed-call"), 200, "provider_error"],
  [streamFixture("broken-not-json"), 200, "provider_error"],
];
for (const [index, [answer, status, code]] of FAILED.entries()) {
  test(`failure ${index}: ${code} comes as ${status}, without our key, and as response.failed in a stream`, async () => {
    server.script(answer, answer);
    const whole = await create({ input: "Hi" });
    assert.equal(whole.status, status, whole.text);
    assert.equal(whole.json.error.code, code);
    if (status === 200) assert.equal(whole.json.status, "failed");
    const { events, text } = await service.stream({ model: MODEL, input: "Hi" });
    const last = events.at(-1);
    assert.deepEqual([last?.event, last?.data.response.error.code], ["response.failed", code]);
    assert.ok(!whole.text.includes(KEY) && !text.includes(KEY));
  });
}

test("an error in the midst of an answer keeps the text, and the usage that was told", async () => {
  server.script(streamFixture("broken-overloaded-midstream"));
  const { events } = await service.stream({ model: MODEL, input: "Hi" });
  const { response } = events.at(-1)?.data ?? {};
  assert.deepEqual([response.status, response.error.code], ["failed", "provider_overloaded"]);
  assert.equal(response.output[0].content[0].text, "Bon");
  assert.equal(response.usage.input_tokens, 9);
  assert.equal(response["svc:error"].provider_request_id, "resp-g1");
});
