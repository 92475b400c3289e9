// Requests that race over three nodes: money for N responses pays for N, and a revoked key is dead everywhere at once.
// docs/reliability.md, I-13 to I-15, I-30; docs/decisions/tests.md, G-10, G-12
import assert from "node:assert/strict";
import { test } from "node:test";
import { bootstrap } from "../../src/boot/bootstrap.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createSecrets } from "../../src/system/hashing.ts";
import { TESTS } from "../support/actor.ts";
import { credits, PRICED_MODELS, Purse } from "../support/money.ts";
import { FINISHED, gate } from "../support/scripted-provider.ts";
import type { TestService } from "../support/service.ts";
import { timePassesUntil, withCluster } from "./cluster.ts";
import { databases } from "../store/postgres-databases.ts";

const SETTINGS = { models: PRICED_MODELS };

const countCalls = (nodes: readonly TestService[]) =>
  nodes.reduce((sum, { provider }) => sum + provider.calls.length, 0);

for (const [name, bound] of [
  ["credits", null],
  ["a budget", { scope: "organization", id: null, period: "total" }],
] as const) {
  test(`${name} for N turns, 10 N at once over three nodes: N run (of a budget one more, on its rest)`, async () => {
    await withCluster(SETTINGS, async ({ nodes }) => {
      for (const whole of [1, 4]) {
        const turns = bound === null ? whole : whole + 1;
        const purse = await Purse.open(nodes[0], bound === null ? 100.1 * whole + 50 : 100_000);
        if (bound !== null) await purse.setBudget(bound, 100.1 * whole + 50);
        const { opened, open } = gate();
        for (const { provider } of nodes) provider.plays(...Array.from({ length: turns }, () => [opened, FINISHED]));
        const callsBefore = countCalls(nodes);
        let rejected = 0;
        const creates = Array.from({ length: 10 * turns }, async (_, at) => {
          const body = { model: "test/priced", input: "Hi", stream: at % 2 === 0 };
          const reply = await nodes[at % 3]!.create(body, { key: purse.key });
          if (reply.status !== 200) rejected++;
          return reply;
        });
        await timePassesUntil(async () => rejected === 9 * turns);
        const { credits: left, held } = await purse.balance();
        assert.ok(left >= 0n);
        assert.equal(held, credits(bound === null ? 100.1 * whole : 100.1 * whole + 50));
        open();
        const replies = await Promise.all(creates);
        const codes = new Set(replies.filter(({ status }) => status !== 200).map(({ json }) => json.error.code));
        assert.deepEqual([...codes], [bound === null ? "insufficient_credits" : "scope_budget_exceeded"]);
        assert.equal(countCalls(nodes) - callsBefore, turns);
        await purse.agrees(credits(1.32) * BigInt(turns));
        for (const { provider } of nodes) provider.forgets();
      }
    });
  });
}

test("once the revocation of a key has returned, no request with it succeeds on any node", async () => {
  await withCluster(SETTINGS, async ({ nodes }) => {
    for (let time = 0; time < 10; time++) {
      const { secret: key, keyId } = await nodes[0].newKey();
      const revoked = { is: false };
      const tally = { before: 0, after: 0 };
      const askOn = async (node: TestService, at: number): Promise<void> => {
        for (let asked = 0; asked < 5; ) {
          const isAfter = revoked.is;
          const body = { input: "Hi", stream: at % 2 === 0 };
          const { status } =
            at < 3 ? await node.request("GET", "/v1/models", { key }) : await node.create(body, { key });
          if (isAfter) assert.equal(status, 401);
          else assert.ok(status === 200 || status === 401, `${status}`);
          tally[isAfter ? "after" : "before"]++;
          if (isAfter) asked++;
        }
      };
      const asking = Promise.all(Array.from({ length: 9 }, (_, at) => askOn(nodes[at % 3]!, at)));
      await timePassesUntil(async () => tally.before >= 9);
      await nodes[time % 3]!.store.revokeKey({ by: TESTS, keyId, revokedAt: 1 });
      revoked.is = true;
      await asking;
      assert.equal(tally.after, 45);
    }
  });
});

test("three nodes that start at once on a new database create one organization, with one key and its credits once", async () => {
  const server = await databases.server();
  const url = server.url(await server.createDatabase());
  const clock = createSystemClock();
  const secrets = createSecrets("a root secret for nodes that start at once");
  const opened = await Promise.all(Array.from({ length: 3 }, () => openPostgres({ location: url, clock })));
  try {
    const start = async ({ store, nodes }: (typeof opened)[number]) => {
      await nodes?.join({ name: "node", version: "0", rootCheck: "", leaseMs: 12_000 });
      return bootstrap(store, secrets, { apiKey: null, nowSeconds: 1000 });
    };
    const keys = (await Promise.all(opened.map(start))).filter((key) => key !== null);
    assert.equal(keys.length, 1);
    const [{ store }] = opened as [(typeof opened)[0]];
    const [organization, ...others] = await store.listOrganizations();
    assert.deepEqual([others, organization?.creditsNano], [[], credits(1_000_000)]);
    assert.equal((await store.listKeys({ organizationId: organization?.id ?? "" })).length, 1);
  } finally {
    await Promise.all(opened.map(({ store }) => store.close()));
  }
});
