// Nodes use the database's clock, whatever the clocks of their machines say. See docs/reliability.md, F-19, F-20
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { TESTS } from "../support/actor.ts";
import { FINISHED, gate } from "../support/scripted-provider.ts";
import { timePassesUntil, whileTimePasses, withCluster } from "./cluster.ts";
import { databases } from "../store/postgres-databases.ts";

test("a node's time is the database's, in whole milliseconds, whatever its own clock says", async (context) => {
  const server = await databases.server();
  const url = server.url(await databases.create());
  for (const skewMs of [-600_000, 0, 600_001]) {
    let reads = 0;
    // So that the time between two reads is an odd or an even number of milliseconds.
    const nowMs = () => Date.now() + skewMs + reads++;
    const clock = { nowMs, monotonicMs: () => 0, after: () => () => {} };
    const { store, nodes, clock: storeClock } = await openPostgres({ location: url, clock });
    context.after(() => store.close());
    for (let time = 0; time < 4; time++) {
      await nodes?.join({ name: "n", version: "0", rootCheck: "", leaseMs: 12_000 });
      assert.ok(Number.isInteger(storeClock.nowMs()));
      assert.ok(Math.abs(storeClock.nowMs() - Date.now()) < 30_000, "by the database's clock");
      const id = `org_${skewMs}_${time}`;
      await store.createOrganization({ by: TESTS, id, name: id, createdAt: 1 });
    }
  }
});

test("F-19: a step of the database's clock makes no live node a dead one", async () => {
  await withCluster({}, async ({ nodes, sql }) => {
    const { opened, open } = gate();
    nodes[0].provider.plays([opened, FINISHED]);
    const running = nodes[0].create({ input: "Hi" });
    await timePassesUntil(async () => nodes[0].provider.calls.length === 1);
    await whileTimePasses(sleep(700), ...nodes);
    // As if it were 13 seconds later: nobody has renewed since.
    await sql("update nodes set lease_until_ms = lease_until_ms - 13000");
    await whileTimePasses(sleep(700), ...nodes);
    open();
    assert.equal((await whileTimePasses(running, ...nodes)).json.status, "completed");
    for (const { logged } of nodes) assert.ok(logged.every(({ event }) => event !== "node.lost"));
  });
});

test("nodes whose clocks are 20 minutes apart agree on times, keys in grace and retries", async () => {
  await withCluster({}, async ({ nodes, sql }) => {
    const [a, b, c] = nodes;
    b.clock.setWall(600_000);
    c.clock.setWall(-600_000);
    // Each renewal of a lease reads the database's clock.
    const isRight = ({ manageServices }: typeof a) => Math.abs(manageServices.clock.nowMs() - Date.now()) < 30_000;
    await timePassesUntil(async () => nodes.every(isRight), ...nodes);
    for (const node of nodes) {
      const { created_at: createdAt } = (await node.create({ input: "Hi" })).json;
      assert.ok(Math.abs(createdAt - Date.now() / 1000) < 30, `${createdAt}`);
    }
    const first = await b.create({ input: "Hi" }, { headers: { "idempotency-key": "k" } });
    for (const node of nodes)
      assert.equal((await node.create({ input: "Hi" }, { headers: { "idempotency-key": "k" } })).text, first.text);
    const { secret: old, keyId } = await a.newKey();
    const { lookup, hash } = a.secrets.mintApiKey();
    await b.store.rotateKey({ by: TESTS, keyId, secret: { lookup, hash }, graceSeconds: 60 });
    const models = () =>
      Promise.all(nodes.map(async (node) => (await node.request("GET", "/v1/models", { key: old })).status));
    assert.deepEqual(await models(), [200, 200, 200]);
    // Well past its end: nodes know the time to some milliseconds.
    await sql("update key_secrets set expires_at_ms = expires_at_ms - 120000 where expires_at_ms is not null");
    assert.deepEqual(await models(), [401, 401, 401]);
  });
});
