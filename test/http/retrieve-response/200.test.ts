// GET /v1/responses/{response_id}. @spec endpoints/get-responses-id
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INCLUDE_VALUES } from "../../../src/contract/include.ts";
import type { Loose } from "../../support/http-client.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { calls, fails, type Script } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { dumpTables, runSql } from "../../support/tables.ts";

const service = await serviceForFile();

const { json: created } = await service.create({ input: "Hi" });
const path = `/v1/responses/${created.id}`;

test("a settled response is returned as its create returned it, and never changes", async () => {
  const { status, headers, json } = await service.request("GET", path);
  assert.equal(status, 200);
  assert.match(headers["x-ratelimit-limit-requests"] ?? "", /^\d+$/);
  assert.deepEqual(json, created);
  await service.clock.advance(1_000_000);
  await service.restart();
  assert.deepEqual((await service.request("GET", path)).json, created);
});

test("a failed response is a 200 with error and usage", async () => {
  service.provider.plays([fails("provider_error")]);
  const failed = await service.create({ input: "Hi" });
  const { status, json } = await service.request("GET", `/v1/responses/${failed.json.id}`);
  assert.equal(status, 200);
  assert.deepEqual([json.status, json.error.code, "usage" in json], ["failed", "provider_error", true]);
});

test("a body sent along is not read", async () => {
  const reply = await service.request("GET", path, { body: "{nonsense" });
  assert.equal(reply.status, 200);
});

describe("include", () => {
  test("every value is accepted here, in every spelling of an array", async () => {
    for (const value of INCLUDE_VALUES) {
      for (const name of ["include", "include[]", "include[0]", "include%5B%5D"]) {
        const { status, json } = await service.request("GET", `${path}?${name}=${value}`);
        assert.equal(status, 200, `${name}=${value}`);
        assert.deepEqual(json, created);
      }
    }
    const query = INCLUDE_VALUES.map((value) => `include=${value}`).join("&");
    assert.equal((await service.request("GET", `${path}?${query}`)).status, 200);
  });

  test("an unrecognized value is a 400", async () => {
    for (const query of ["include=everything", "include=", `include=${INCLUDE_VALUES[0]}&include=x`, "include[]=%00"]) {
      const reply = await service.request("GET", `${path}?${query}`);
      assertApiError(reply, { status: 400, code: "invalid_input", param: "include" });
    }
  });
});

test("another query parameter is a 400 naming it", async () => {
  for (const [query, param] of [
    ["stream=true", "stream"],
    ["starting_after=3", "starting_after"],
    ["include_obfuscation=false", "include_obfuscation"],
    ["x=1&include=reasoning.encrypted_content", "x"],
    ["=1", ""],
    ["?", "?"],
    ["?include=reasoning.encrypted_content", "?include"],
  ] as const) {
    const reply = await service.request("GET", `${path}?${query}`);
    assertApiError(reply, { status: 400, code: "invalid_input", param });
  }
});

test("a fragment of a query is not a query", async () => {
  assert.equal((await service.request("GET", `${path}?`)).status, 200);
});

/** A message and a call. */
const LOOKS: Script = [[{ type: "text", text: "Let me look." }], ...calls({ callId: "c" })];

test("an unreadable output item appears in svc:unreadable, however the response is requested", async () => {
  const headers = { "idempotency-key": "unreadable" };
  service.provider.plays(LOOKS);
  const body = { input: "Hi", tools: [{ type: "function", name: "look_up" }] };
  const whole = await service.create(body, { headers });
  const [message, call] = whole.json.output;
  assert.equal("svc:unreadable" in whole.json, false);
  for (const spoilt of [
    "x",
    "null",
    '{"type":"message"}',
    JSON.stringify({ ...message, content: [{ type: "output_text", text: "a" }] }),
  ]) {
    await runSql(service, "update items set body = :spoilt where public_id = :id", { id: message.id, spoilt });
    const retrieved = await service.request("GET", `/v1/responses/${whole.json.id}`);
    const [entry, ...more] = retrieved.json["svc:unreadable"];
    assert.deepEqual([entry.type, entry.id, typeof entry.message, more], ["item_unreadable", message.id, "string", []]);
    assert.deepEqual(retrieved.json, { ...whole.json, output: [call], "svc:unreadable": [entry] });
    const cancelled = await service.request("POST", `/v1/responses/${whole.json.id}/cancel`);
    const repeated = await service.create(body, { headers });
    for (const again of [cancelled, repeated]) assert.deepEqual([again.status, again.json], [200, retrieved.json]);
  }
});

test("a stream replayed past an unreadable item has the events of the others", async () => {
  const headers = { "idempotency-key": "unreadable stream" };
  service.provider.plays(LOOKS);
  const body = { input: "Hi", tools: [{ type: "function", name: "look_up" }] };
  const first = await service.stream(body, { headers });
  const [message, call] = first.events.at(-1)?.data.response.output ?? [];
  await runSql(service, "update items set body = 'x' where public_id = :id", { id: message.id });
  const { events } = await service.stream(body, { headers });
  const last = events.at(-1)?.data;
  assert.deepEqual([last.type, last.response.output], ["response.completed", [call]]);
  assert.equal(last.response["svc:unreadable"][0].id, message.id);
  const done = events.filter(({ event }) => event === "response.output_item.done");
  assert.deepEqual(
    done.map(({ data }) => [data.output_index, data.item]),
    [[0, call]],
  );
});

test("a response whose ending cannot be read still is, with a warning; without its head there is none", async () => {
  const { json } = await service.create({ input: "Hi" });
  for (const spoilt of ["x", "null", "{}", ""]) {
    for (const [status, error, reason] of [
      ["completed", null, null],
      ["failed", "run_failed", null],
      ["incomplete", null, "unknown"],
    ]) {
      const sql = "update responses set ending = :spoilt, status = :status where public_id = :id";
      await runSql(service, sql, { spoilt, status: status as string, id: json.id });
      const reply = (await service.request("GET", `/v1/responses/${json.id}`)).json;
      const { code } = reply["svc:warnings"][0];
      assert.deepEqual([reply.status, reply.error?.code ?? null, code], [status, error, "ending_unreadable"]);
      assert.deepEqual([reply.incomplete_details?.reason ?? null, reply.output], [reason, json.output]);
    }
  }
  await runSql(service, "update responses set provider_state = 'x' where public_id = :id", { id: json.id });
  assert.equal((await service.request("GET", `/v1/responses/${json.id}`)).status, 200);
  for (const spoilt of ["x", "null", "{}", "[]"]) {
    await runSql(service, "update responses set head = :spoilt where public_id = :id", { spoilt, id: json.id });
    const reply = await service.request("GET", `/v1/responses/${json.id}`);
    assertApiError(reply, { status: 500, code: "database_error" });
  }
});

test("a response whose stored output cannot be read leaves its neighbours as they are", async () => {
  const broken = await service.create({ input: "Hi" });
  await runSql(service, "update items set body = 'x' where public_id = :id", { id: broken.json.output[0].id });
  assert.equal((await service.request("GET", path)).status, 200);
  // Its history continues without the unreadable item.
  const next = await service.create({ input: "More", previous_response_id: broken.json.id });
  assert.equal(next.status, 200, next.text);
  const sent = service.provider.calls.at(-1)?.prompt.items as Loose[];
  assert.deepEqual(
    sent.map(({ text }) => text),
    ["Hi", "More"],
  );
});

test("a retrieve changes nothing", async () => {
  const before = await dumpTables(service);
  await service.request("GET", path);
  assert.deepEqual(await dumpTables(service), before);
});
