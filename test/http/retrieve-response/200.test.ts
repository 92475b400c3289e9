// GET /v1/responses/{response_id}. @spec endpoints/get-responses
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { INCLUDE_VALUES } from "../../../src/contract/include.ts";
import type { Loose } from "../../support/http-client.ts";
import { assertRefused } from "../../support/refused.ts";
import { fails } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { dumpTables, tamper } from "../../support/tables.ts";

const service = await TestService.start();
after(() => service.close());

const { json: created } = await service.create({ input: "Hi" });
const path = `/v1/responses/${created.id}`;

test("a settled response is answered as it was created, and never changes", async () => {
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
  const answer = await service.request("GET", path, { body: "{nonsense" });
  assert.equal(answer.status, 200);
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
      const answer = await service.request("GET", `${path}?${query}`);
      assertRefused(answer, { status: 400, code: "invalid_input", param: "include" });
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
  ] as const) {
    const answer = await service.request("GET", `${path}?${query}`);
    assertRefused(answer, { status: 400, code: "invalid_input", param });
  }
});

test("a fragment of a query is no query", async () => {
  assert.equal((await service.request("GET", `${path}?`)).status, 200);
});

test("a response whose stored output cannot be read is a 500 database_error; its neighbours are not affected", async () => {
  const broken = await service.create({ input: "Hi" });
  tamper(service.path, "update items set body = 'x' where public_id = :id", { id: broken.json.output[0].id });
  const answer = await service.request("GET", `/v1/responses/${broken.json.id}`);
  assertRefused(answer, { status: 500, code: "database_error" });
  assert.equal((await service.request("GET", path)).status, 200);
  // Its history goes on without what cannot be read.
  const next = await service.create({ input: "More", previous_response_id: broken.json.id });
  assert.equal(next.status, 200, next.text);
  const sent = service.provider.calls.at(-1)?.prompt.items as Loose[];
  assert.deepEqual(
    sent.map(({ text }) => text),
    ["Hi", "More"],
  );
});

test("a retrieve changes nothing", async () => {
  const before = dumpTables(service.path);
  await service.request("GET", path);
  assert.deepEqual(dumpTables(service.path), before);
});
