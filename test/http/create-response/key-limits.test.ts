// Limits of a key itself, and tokens a minute. docs/wire.md (Rates)
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { KeyLimits } from "../../../src/ports/store/limits.ts";
import { TESTS } from "../../support/actor.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { fails, FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

import { until } from "../../support/until.ts";

const service = await serviceForFile();

/** A key with limits, and another one of the same organization. */
async function keysOf(limits: Partial<KeyLimits>, tokensPerMinute: number | null = null) {
  const { organizationId } = await service.newOrganization();
  await service.store.updateOrganization({ by: TESTS, organizationId, limits: { tokensPerMinute } });
  const { secret, keyId } = await service.newKey(organizationId);
  await service.store.updateKey({ by: TESTS, keyId, limits });
  return { key: secret, other: (await service.newKey(organizationId)).secret };
}

test("a key with a list of models runs no other one; the other keys of its organization do", async () => {
  const { key, other } = await keysOf({ allowModels: ["test/group-a"] });
  const denied = await service.create({ input: "Hi" }, { key });
  assertApiError(denied, { status: 400, code: "model_policy_violation", param: "model", message: /This API key/ });
  assert.equal((await service.create({ model: "test/group-a", input: "Hi" }, { key })).status, 200);
  assert.equal((await service.create({ input: "Hi" }, { key: other })).status, 200);
});

test("a key's rate counts its own requests, and the reply reports whichever has less left", async () => {
  const { key, other } = await keysOf({ createPerMinute: 1 });
  const first = await service.create({ input: "Hi" }, { key });
  assert.deepEqual([first.status, first.headers["x-ratelimit-remaining-requests"]], [200, "0"]);
  const second = await service.create({ input: "Hi" }, { key });
  assertApiError(second, { status: 429, code: "rate_limit_exceeded", message: /This API key may send 1 create/ });
  const third = await service.create({ input: "Hi" }, { key: other });
  assert.deepEqual([third.status, third.headers["x-ratelimit-remaining-requests"]], [200, "59998"]);
});

test("a key's turns at once leave the others room", async () => {
  const { key, other } = await keysOf({ concurrentResponses: 1 });
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED]);
  const before = service.provider.calls.length;
  const running = service.create({ input: "Hi" }, { key });
  await until("the provider is called", () => service.provider.calls.length > before);
  const second = await service.create({ input: "Hi" }, { key });
  assertApiError(second, { status: 429, code: "rate_limit_exceeded", message: /may have 1 at once/ });
  assert.equal((await service.create({ input: "Hi" }, { key: other })).status, 200);
  open();
  assert.equal((await running).status, 200);
});

for (const [whose, limits, ofOrganization, message] of [
  ["a key", { tokensPerMinute: 1_020 }, null, /This API key may use 1020 tokens a minute/],
  ["an organization", {}, 1_020, /Your organization may use 1020 tokens a minute/],
] as const) {
  test(`tokens a minute of ${whose}: a turn draws its estimate, and what it used counts in the end`, async () => {
    const { key } = await keysOf(limits, ofOrganization);
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const before = service.provider.calls.length;
    const running = service.create({ input: "Hi" }, { key });
    await until("the provider is called", () => service.provider.calls.length > before);
    // The first 1,000 tokens of the output and those of the prompt are drawn.
    const during = await service.create({ input: "Hi" }, { key });
    assertApiError(during, { status: 429, code: "rate_limit_exceeded", message });
    open();
    await running;
    // It used 15. What did not run counts nothing.
    service.provider.plays([fails("provider_overloaded")]);
    assert.notEqual((await service.create({ input: "Hi" }, { key })).status, 429);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 200);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 429);
    await service.clock.advance(2_000);
    assert.equal((await service.create({ input: "Hi" }, { key })).status, 200);
  });
}

test("a turn's slot is free before its tokens are counted, which may take the store a while; a drain waits for them", async () => {
  const { key } = await keysOf({ concurrentResponses: 1, tokensPerMinute: 10_000 });
  const { allowances, runs } = service.gateway;
  const { opened, open } = gate();
  const counting = mock.method(allowances, "returnTokens", async () => {
    await opened;
    throw new Error("not counted");
  });
  const first = await service.create({ input: "Hi" }, { key });
  const second = await service.create({ input: "Hi" }, { key });
  assert.deepEqual([first.status, second.status, counting.mock.callCount()], [200, 200, 2]);
  let isIdle = false;
  const idle = runs.allEnded().then(() => (isIdle = true));
  await new Promise(setImmediate);
  assert.equal(isIdle, false);
  open();
  await idle;
  counting.mock.restore();
});
