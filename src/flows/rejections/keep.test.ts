import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ApiError, type ErrorCode, invalidInput } from "../../contract/errors.ts";
import type { Rejection } from "../../ports/store/rejections.ts";
import { createRejections } from "./keep.ts";

function open() {
  const clock = new FakeClock();
  const batches: (readonly Rejection[])[] = [];
  const warnings: string[] = [];
  const world = { fault: null as Error | null };
  const rejections = createRejections({
    clock,
    log: { debug() {}, info() {}, warn: (event) => warnings.push(event), error() {} },
    store: {
      async keepRejections({ rejections: batch }) {
        if (world.fault !== null) throw world.fault;
        batches.push(batch);
      },
      listRejections: async () => [],
      findRejection: async () => null,
    },
  });
  let requests = 0;
  const reject = (
    keyId = "key_a",
    error = new ApiError("rate_limit_exceeded", "10 a minute"),
    organizationId = "org_a",
  ) =>
    rejections.keep(
      { requestId: `req_${++requests}`, operation: "createResponse", caller: { organizationId, keyId } },
      error,
    );
  return { clock, batches, warnings, world, rejections, reject };
}

test("rejections are written together, a second after the first", async () => {
  const { clock, batches, reject } = open();
  reject();
  await clock.advance(999);
  reject();
  assert.equal(batches.length, 0);
  await clock.advance(1);
  assert.deepEqual(
    batches.map((batch) => batch.map(({ requestId }) => requestId)),
    [["req_1", "req_2"]],
  );
  assert.equal(clock.pending, 0);
});

test("a message that may quote the request is not kept, nor is a client's word in place of a field", async () => {
  const { batches, reject, rejections } = open();
  reject("key_a", invalidInput("metadata.my secret", 'metadata.my secret is "hunter2"'));
  reject("key_a", new ApiError("scope_budget_exceeded", "9.9 of 10.0 credits are spent"));
  await rejections.write();
  assert.deepEqual(
    batches[0]?.map(({ code, param, message }) => [code, param, message]),
    [
      ["invalid_input", "metadata", null],
      ["scope_budget_exceeded", null, "9.9 of 10.0 credits are spent"],
    ],
  );
});

test("of a flood a few are kept each minute, of a key and of an organization; the next one says how many were not", async () => {
  const { clock, batches, reject } = open();
  for (let index = 0; index < 1000; index++) reject();
  await clock.advance(1000);
  assert.equal(batches[0]?.length, 20);
  for (let key = 0; key < 50; key++) for (let index = 0; index < 20; index++) reject(`key_${key}`);
  await clock.advance(1000);
  assert.equal(batches[1]?.length, 80);
  reject("key_other", undefined, "org_b");
  await clock.advance(60_000);
  assert.equal(batches[2]?.length, 1);
  reject();
  await clock.advance(1000);
  assert.equal(batches[3]?.[0]?.skipped, 980);
  reject();
  await clock.advance(1000);
  assert.equal(batches[4]?.[0]?.skipped, 0);
});

test("memory is bounded while the store does not answer, and what it rejects is lost with a warning", async () => {
  const { clock, batches, warnings, world, reject } = open();
  for (let index = 0; index < 5000; index++) reject(`key_${index}`, undefined, `org_${index}`);
  await clock.advance(1000);
  assert.equal(batches[0]?.length, 1000);
  world.fault = new Error("away");
  reject("key_z", undefined, "org_z");
  await clock.advance(1000);
  assert.deepEqual(warnings, ["rejections.lost"]);
});

test("a request without a valid key is not kept", async () => {
  const { batches, rejections } = open();
  const code: ErrorCode = "invalid_api_key";
  rejections.keep({ requestId: "req", operation: "listModels", caller: null }, new ApiError(code, "no"));
  await rejections.write();
  assert.deepEqual(batches, []);
});
