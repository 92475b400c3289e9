// POST /v1/responses, success: the response object field by field. @spec resources/response-object
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Check } from "typebox/value";
import { ResponseObject } from "../../../src/contract/resources.ts";
import { says, USAGE } from "../../support/scripted-provider.ts";
import { testModel, TEST_MODELS } from "../../support/service-config.ts";
import { asPlain } from "../../support/failing-targets.ts";
import { serviceForFile } from "../../support/service.ts";
import { NULLABLE_FIELDS, PLAIN_RESPONSE } from "../../support/plain-response.ts";

const service = await serviceForFile({
  models: [...TEST_MODELS, testModel("test/effort", { thinking: { effort: "low" } }), testModel("other/all")],
});

const TOOL = {
  type: "function",
  name: "look_up",
  description: "Looks up",
  parameters: { type: "object" },
  strict: true,
};

test("a first response of one text returns every field of the response object", async () => {
  service.provider.plays(says("Hello."));
  const { status, headers, json } = await service.create({ input: "Hi" });
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.match(headers["x-request-id"] ?? "", /./);
  assert.match(json.id, /^resp_\w+$/);
  assert.match(json.output[0].id, /^msg_\w+$/);
  const nowSeconds = Math.floor(service.clock.nowMs() / 1000);
  assert.deepEqual(asPlain(json), {
    ...PLAIN_RESPONSE,
    id: json.id,
    status: "completed",
    created_at: nowSeconds,
    completed_at: nowSeconds,
    output: [
      {
        type: "message",
        id: json.output[0].id,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello.", annotations: [], logprobs: [] }],
      },
    ],
    usage: USAGE,
  });
  assert.ok(Check(ResponseObject, json));
});

test("a retrieve returns the same object", async () => {
  const created = await service.create({ input: "Hi", metadata: { a: "1" } });
  const retrieved = await service.request("GET", `/v1/responses/${created.json.id}`);
  assert.equal(retrieved.text, created.text);
});

describe("sent fields are echoed", () => {
  const nested = { type: "object", properties: { a: { type: "string" } } };
  const rows: readonly (readonly [string, object, object])[] = [
    ["instructions", { instructions: "Be brief" }, { instructions: "Be brief" }],
    ["empty instructions", { instructions: "" }, { instructions: "" }],
    ["metadata", { metadata: { user: "7", "": "" } }, { metadata: { user: "7", "": "" } }],
    ["empty metadata", { metadata: {} }, { metadata: {} }],
    ["safety_identifier", { safety_identifier: "someone" }, { safety_identifier: "someone" }],
    ["user, which is not", { user: "someone" }, { safety_identifier: null, user: undefined }],
    ["max_output_tokens", { max_output_tokens: 16 }, { max_output_tokens: 16 }],
    ["max_output_tokens above the model's maximum", { max_output_tokens: 9_000_000 }, { max_output_tokens: 8_000 }],
    ["max_tool_calls", { max_tool_calls: 1 }, { max_tool_calls: 1 }],
    ["parallel_tool_calls", { parallel_tool_calls: false }, { parallel_tool_calls: false }],
    ["temperature", { temperature: 0 }, { temperature: 0 }],
    ["top_p", { top_p: 0.5 }, { top_p: 0.5 }],
    ["presence_penalty", { presence_penalty: -2 }, { presence_penalty: -2 }],
    ["frequency_penalty", { frequency_penalty: 2 }, { frequency_penalty: 2 }],
    ["truncation", { truncation: "auto" }, { truncation: "auto" }],
    ["verbosity", { text: { verbosity: "low" } }, { text: { format: { type: "text" }, verbosity: "low" } }],
    [
      "text.format",
      { text: { format: { type: "json_schema", name: "n", schema: nested, strict: true } } },
      { text: { format: { type: "json_schema", name: "n", schema: nested, strict: true }, verbosity: "medium" } },
    ],
    [
      "tools, all five keys",
      { tools: [{ type: "function", name: "f" }] },
      {
        tools: [{ type: "function", name: "f", description: null, parameters: null, strict: null }],
      },
    ],
    ["tools as sent", { tools: [TOOL], tool_choice: "none" }, { tools: [TOOL], tool_choice: "none" }],
    ["tool_choice required", { tools: [TOOL], tool_choice: "required" }, { tool_choice: "required" }],
    [
      "tool_choice of a function",
      { tools: [TOOL], tool_choice: { type: "function", name: "look_up" } },
      {
        tool_choice: { type: "function", name: "look_up" },
      },
    ],
    [
      "tool_choice of allowed tools, with its mode",
      {
        tools: [TOOL],
        tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "look_up" }] },
      },
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "look_up" }] } },
    ],
    ["prompt_cache_key, which is not", { prompt_cache_key: "k" }, { prompt_cache_key: null }],
    ...["auto", "default", "flex", "priority"].map(
      (tier) =>
        [`service_tier ${tier} as the single tier`, { service_tier: tier }, { service_tier: "default" }] as const,
    ),
    ["store", { store: true }, { store: true }],
    ["background", { background: false }, { background: false }],
  ];
  for (const [name, sent, echoed] of rows) {
    test(name, async () => {
      service.provider.plays(says('{"a":"b"}'));
      const { status, text, json } = await service.create({ input: "Hi", ...sent });
      assert.equal(status, 200, text);
      for (const [field, value] of Object.entries(echoed)) assert.deepEqual(json[field], value, field);
      assert.equal(json["svc:warnings"], undefined);
    });
  }
});

test("optional fields sent as null or empty count as absent", async () => {
  const empty = Object.fromEntries(NULLABLE_FIELDS.map((field) => [field, null]));
  for (const body of [
    empty,
    { text: {}, tools: [], include: [], user: "" },
    { text: { format: null, verbosity: null } },
    { stream_options: { include_obfuscation: null } },
  ]) {
    const { status, text } = await service.create({ input: "Hi", ...body });
    assert.equal(status, 200, text);
  }
});

test("a model may be named by its bare form; the response reports the whole id", async () => {
  const bare = await service.create({ input: "Hi", model: "group-a" });
  assert.equal(bare.json.model, "test/group-a");
  // Two models have this bare form: the first of the catalog wins.
  const shared = await service.create({ input: "Hi", model: "all" });
  assert.equal(shared.json.model, "test/all");
});

test("model and max_output_tokens are carried to later responses until changed; instructions never are", async () => {
  const first = await service.create({ input: "1", model: "test/all", max_output_tokens: 7000, instructions: "once" });
  const later = { model: undefined, previous_response_id: first.json.id };
  const second = await service.create({ input: "2", ...later });
  assert.deepEqual(
    [second.json.model, second.json.max_output_tokens, second.json.instructions],
    ["test/all", 7000, null],
  );
  assert.equal(service.provider.calls.at(-1)?.prompt.instructions, null);
  const switched = await service.create({ input: "2", ...later, model: "test/small", max_output_tokens: 400 });
  const third = await service.create({ input: "3", model: undefined, previous_response_id: switched.json.id });
  assert.deepEqual([third.json.model, third.json.max_output_tokens], ["test/small", 400]);
});

test("a carried max_output_tokens is clamped again to the model of each response", async () => {
  const first = await service.create({ input: "1", max_output_tokens: 900 });
  const small = await service.create({ input: "2", model: "test/small", previous_response_id: first.json.id });
  assert.equal(small.json.max_output_tokens, 500);
  const back = await service.create({ input: "3", model: "test/all", previous_response_id: small.json.id });
  assert.equal(back.json.max_output_tokens, 900);
});

test("an end user is sent as a keyed hash, safety_identifier before user, with a warning where it can't be", async () => {
  const hashes: (string | null | undefined)[] = [];
  for (const body of [{ safety_identifier: "someone", user: "other" }, { user: "someone" }, { user: "other" }, {}]) {
    await service.create({ input: "Hi", ...body });
    hashes.push(service.provider.calls.at(-1)?.prompt.endUserHash);
  }
  assert.match(hashes[0] ?? "", /^[0-9a-f]{32,}$/);
  assert.equal(hashes[0], hashes[1]);
  assert.notEqual(hashes[1], hashes[2]);
  assert.equal(hashes[3], null);

  const unsent = await service.create({ input: "Hi", model: "test/group-b", safety_identifier: "someone" });
  assert.equal(service.provider.calls.at(-1)?.prompt.endUserHash, null);
  assert.equal(unsent.json.safety_identifier, "someone");
  assert.deepEqual(
    unsent.json["svc:warnings"].map(({ code, param }: { code: string; param: string }) => [code, param]),
    [["safety_identifier_not_sent", "safety_identifier"]],
  );
});

test("a prompt template causes a warning that it is not used, however long the body is", async () => {
  for (const input of ["Hi", "Hi ".repeat(40_000)]) {
    const { status, json } = await service.create({ input, prompt: { id: "pmpt_1", variables: { a: [1] } } });
    assert.equal(status, 200);
    assert.deepEqual(
      json["svc:warnings"].map(({ code, param }: { code: string; param: string }) => [code, param]),
      [["prompt_not_used", "prompt"]],
    );
  }
});

test("the body is read as JSON, whatever its Content-Type", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "nonsense",
  ]) {
    const reply = await service.create({ input: "Hi" }, { headers: { "content-type": type } });
    assert.equal(reply.status, 200, type);
  }
  const bytes = new TextEncoder().encode(JSON.stringify({ model: "test/all", input: "Grüße 👋" }));
  const { status } = await service.request("POST", "/v1/responses", {
    body: bytes,
    headers: { "content-encoding": "identity" },
  });
  assert.equal(status, 200);
  assert.deepEqual(service.provider.calls.at(-1)?.prompt.items, [{ type: "message", role: "user", text: "Grüße 👋" }]);
});

test("a request's own x-request-id is not used", async () => {
  const { headers } = await service.create({ input: "Hi" }, { headers: { "x-request-id": "mine" } });
  assert.notEqual(headers["x-request-id"], "mine");
});

test("completed_at is never before created_at", async () => {
  const { json } = await service.create({ input: "Hi" });
  assert.ok(json.completed_at >= json.created_at);
});
