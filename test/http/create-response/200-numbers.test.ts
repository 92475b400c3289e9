// The JSON that a client sends keeps its digits: in the echo, the store, a replay, and to the model. @spec resources/tool
import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, says } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const PARAMETERS =
  '{"type":"object","properties":{"id":{"maximum":9223372036854775807,"minimum":-0,"multipleOf":1.0},' +
  '"x":{"enum":[1e400,0.1000000000000000055]}}}';
const TOOLS = `"tools":[{"type":"function","name":"f","parameters":${PARAMETERS}}]`;
const FORMAT = `"text":{"format":{"type":"json_schema","name":"n","schema":${PARAMETERS}}}`;
const BODY = `{"model":"test/all","input":"Hi",${TOOLS},${FORMAT}}`;

const post = (body: string, headers: Record<string, string> = {}) =>
  service.request("POST", "/v1/responses", { body, headers });

/** How often a text has the parameters as they were sent. */
const echoes = (text: string) => text.split(PARAMETERS).length - 1;

test("a response echoes tools and format as they were sent, created, retrieved, after a restart", async () => {
  const created = await post(BODY);
  assert.equal(created.status, 200, created.text);
  assert.equal(echoes(created.text), 2, created.text);
  const path = `/v1/responses/${created.json.id}`;
  assert.equal((await service.request("GET", path)).text, created.text);
  await service.restart();
  assert.equal((await service.request("GET", path)).text, created.text);
});

test("the model is sent the numbers unchanged", async () => {
  await post(BODY);
  const prompt = service.provider.calls.at(-1)?.prompt;
  assert.equal(echoes(JSON.stringify(prompt?.tools)), 1);
  assert.equal(echoes(JSON.stringify(prompt?.format)), 1);
});

test("a stream and its replay have them in each event with the response", async () => {
  const body = BODY.replace("{", '{"stream":true,');
  const headers = { "idempotency-key": "numbers" };
  for (const reply of [await post(body, headers), await post(body, headers)]) {
    assert.equal(echoes(reply.text), 6, reply.text);
  }
});

test("a request with tool outputs inherits them, also from the store", async () => {
  service.provider.plays(calls({ callId: "call_1", name: "f" }), says("Done."));
  const created = await post(BODY);
  await service.restart();
  const output = { type: "function_call_output", call_id: "call_1", output: "42" };
  const answered = await service.create({ previous_response_id: created.json.id, input: [output] });
  assert.equal(answered.status, 200, answered.text);
  assert.equal(echoes(answered.text), 1, answered.text);
  assert.equal(echoes(JSON.stringify(service.provider.calls.at(-1)?.prompt.tools)), 1);
});

test("bodies that differ only in such digits are different", async () => {
  const headers = { "idempotency-key": "digits" };
  const first = await post(BODY, headers);
  assert.equal(first.status, 200);
  assert.equal((await post(BODY, headers)).text, first.text);
  const other = await post(BODY.replaceAll("9223372036854775807", "9223372036854775806"), headers);
  assert.equal(other.json.error.code, "idempotency_conflict");
  // Also in fields that are not read.
  const unread = { "idempotency-key": "unread digits" };
  assert.equal((await post('{"model":"test/all","input":"Hi","z":9007199254740993}', unread)).status, 200);
  const changed = await post('{"model":"test/all","input":"Hi","z":9007199254740992}', unread);
  assert.equal(changed.json.error.code, "idempotency_conflict");
});

test("a number of a field is read as a double", async () => {
  const reply = await post('{"model":"test/all","input":"Hi","temperature":1.0,"max_output_tokens":1e2}');
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.json.temperature, reply.json.max_output_tokens], [1, 100]);
});
