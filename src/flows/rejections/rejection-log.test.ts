import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ApiError, type ErrorCode, invalidInput } from "../../contract/errors.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { CountedFailures } from "../../ports/store/failures.ts";
import type { Rejection } from "../../ports/store/rejections.ts";
import { createRejections } from "./rejection-log.ts";

function open() {
  const clock = new FakeClock();
  const batches: (readonly Rejection[])[] = [];
  const warnings: string[] = [];
  const world = { fault: null as Error | null };
  const failures: CountedFailures[] = [];
  const rejections = createRejections({
    clock,
    modelSet: () => ({ catalog: { find: (id: string) => (id === "acme/small" ? { id } : undefined) } }) as never,
    telemetry: { createFailed() {} },
    log: { debug() {}, info() {}, warn: (event) => warnings.push(event), error() {} },
    store: {
      async keepRejections({ rejections: batch, failures: counted }) {
        if (world.fault !== null) throw world.fault;
        batches.push(batch);
        failures.push(...counted);
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
    model: string | null = null,
  ) =>
    rejections.keep(
      { requestId: `req_${++requests}`, operation: "createResponse", caller: { organizationId, keyId }, model },
      error,
    );
  return { clock, batches, failures, warnings, world, rejections, reject };
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
  rejections.keep({ requestId: "req", operation: "listModels", caller: null, model: null }, new ApiError(code, "no"));
  await rejections.write();
  assert.deepEqual(batches, []);
});

test("every rejected create is counted, by code and model, kept or not; one whose provider failed has been already", async () => {
  const { batches, failures, rejections, reject } = open();
  const spent = new ApiError("scope_budget_exceeded", "9.9 of 10.0 credits are spent");
  for (let count = 0; count < 50; count++) reject("key_a", spent, "org_a", "acme/small");
  reject("key_a", spent, "org_a", "a client's words");
  reject("key_b", spent, "org_b");
  const cause = new UpstreamError({
    code: "provider_overloaded",
    message: "",
    provider: "acme",
    status: 529,
    requestId: "req_p",
    certainlyNotRun: false,
  });
  reject("key_b", new ApiError("provider_overloaded", "try later", { cause }), "org_b", "acme/small");
  await rejections.write();
  const series = { kind: "rejected", code: "scope_budget_exceeded", provider: null };
  assert.deepEqual(failures, [
    { ...series, organizationId: "org_a", model: "acme/small", failures: 50 },
    { ...series, organizationId: "org_a", model: null, failures: 1 },
    { ...series, organizationId: "org_b", model: null, failures: 1 },
  ]);
  const { model, provider, providerStatus, providerRequestId } = batches[0]?.at(-1) ?? assert.fail();
  assert.deepEqual([model, provider, providerStatus, providerRequestId], ["acme/small", "acme", 529, "req_p"]);
  assert.equal(
    batches[0]?.filter((kept) => kept.organizationId === "org_a").every((kept) => kept.model === "acme/small"),
    true,
  );
});
