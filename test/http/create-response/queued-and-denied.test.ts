// A queued response that may not run any more when its turn comes. docs/wire.md (Queue)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TESTS } from "../../support/actor.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { PRICED_MODELS, Purse } from "../../support/money.ts";
import { serviceForFile, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile({
  models: PRICED_MODELS,
  limits: { concurrent_turns: 1, queued_turns: 5 },
});

/** Keeps the only slot with a response of another organization; the result ends that response. */
async function occupySlot(): Promise<() => Promise<void>> {
  const other = await Purse.open(service, 1000);
  const open = service.provider.playsLater("first");
  const calls = service.provider.calls.length;
  const first = other.create({ input: "Hi" });
  await until("the first", () => service.provider.calls.length > calls);
  return async () => {
    open();
    assert.equal((await first).json.status, "completed");
  };
}

const update =
  (change: Omit<Parameters<TestService["store"]["updateOrganization"]>[0], "by" | "organizationId">) =>
  async ({ organizationId }: Purse): Promise<unknown> =>
    service.store.updateOrganization({ by: TESTS, organizationId, ...change });

const DENIALS: readonly (readonly [name: string, deny: (purse: Purse) => Promise<unknown>, message: RegExp])[] = [
  [
    "its key is revoked",
    ({ keyId }) => service.store.revokeKey({ by: TESTS, keyId, revokedAt: 1 }),
    /did not run: its API key was revoked\.$/,
  ],
  ["its organization is suspended", update({ suspended: true }), /did not run: your organization is suspended\.$/],
  ["the plan is stopped", update({ plan: false }), /did not run: your organization has no active plan\.$/],
  [
    "the payment method is removed",
    update({ paymentMethod: false }),
    /did not run: your organization has no payment method on file\.$/,
  ],
];

describe("a queued response fails without a provider call and without a charge if meanwhile", () => {
  for (const [name, deny, message] of DENIALS) {
    for (const stream of [true, false]) {
      test(`${name}, ${stream ? "streamed" : "awaited"}`, async () => {
        const end = await occupySlot();
        const purse = await Purse.open(service, 1000);
        const open = () => LiveStream.open({ baseUrl: service.baseUrl, key: purse.key }, { model: "test/priced" });
        const reply = stream ? open() : purse.create({ input: "Hi" });
        const counted = { organizationId: purse.organizationId, limit: 1 };
        await until("it is queued", async () => (await service.store.listRunning(counted)).queued === 1);
        await deny(purse);
        const calls = service.provider.calls.length;
        await end();
        const answered = await reply;
        if (answered instanceof LiveStream) await answered.closed;
        const response = answered instanceof LiveStream ? answered.events.at(-1)?.data.response : answered.json;
        assert.deepEqual([response.status, response.error.code], ["failed", "run_failed"]);
        assert.match(response.error.message, message);
        assert.equal(response["svc:error"].retryable, false);
        assert.deepEqual([response.output, response.usage.total_tokens], [[], 0]);
        assert.equal(service.provider.calls.length, calls);
        const kinds = (await purse.transfersOf(response.id)).map(([kind]) => kind);
        assert.deepEqual(kinds, ["hold", "void"]);
        await purse.agrees(0n);
      });
    }
  }
});

test("a queued response whose key is rotated runs, with grace or without", async () => {
  for (const graceSeconds of [3600, 0]) {
    const end = await occupySlot();
    const purse = await Purse.open(service, 1000);
    const reply = purse.create({ input: "Hi" });
    await until("it is queued", () => service.gateway.occupancy().responsesQueued === 1);
    const { lookup, hash } = service.secrets.mintApiKey();
    await service.store.rotateKey({ by: TESTS, keyId: purse.keyId, secret: { lookup, hash }, graceSeconds });
    await end();
    assert.equal((await reply).json.status, "completed");
  }
});
