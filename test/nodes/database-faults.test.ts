// Three nodes on a database that restarts, crashes, loses connections and answers, or has no room. docs/reliability.md
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { assertApiError } from "../support/assert-api-error.ts";
import { unlessDrawn } from "../support/drawn.ts";
import { until } from "../support/until.ts";
import { PRICED_MODELS } from "../support/money.ts";
import { FINISHED, fails, gate } from "../support/scripted-provider.ts";
import { COMMIT, startPostgresProxy } from "../store/postgres-proxy.ts";
import { type Cluster, timePassesUntil, whileTimePasses, withCluster } from "./cluster.ts";
import { createDatabases, databases } from "../store/postgres-databases.ts";
import { startServer } from "../store/postgres-server.ts";
import { assertWhole, startLoad } from "./load.ts";

const SETTINGS = { models: PRICED_MODELS };
/** Of this file alone, since it stops it. */
const own = createDatabases(startServer);

for (const [how, signal] of [
  ["restarts fast", "SIGINT"],
  ["restarts at once", "SIGQUIT"],
  ["crashes", "SIGKILL"],
] as const) {
  test(`F-05: a database that ${how} costs 503s; running turns end when it is back`, async () => {
    const server = await own.server();
    const failsMeanwhile = async (cluster: Cluster): Promise<void> => {
      const { nodes } = cluster;
      const { opened, open } = gate();
      nodes[0].provider.plays([[{ type: "text", text: "so far" }], opened, FINISHED]);
      const running = nodes[0].create({ input: "Hi", model: "test/priced" });
      await timePassesUntil(async () => nodes[0].provider.calls.length === 1);
      const load = startLoad(nodes, 6);
      await timePassesUntil(async () => load.ends.size >= 20, ...nodes);
      await server.stop(signal);
      const refused = await nodes[1].create({ input: "Hi" });
      assertApiError(refused, { status: 503, code: "auth_unavailable" });
      assert.equal(refused.headers["retry-after"], "1");
      assert.equal((await nodes[1].request("GET", "/healthz")).status, 200);
      assert.equal((await nodes[1].request("GET", "/readyz")).status, 503);
      open();
      await whileTimePasses(sleep(100), ...nodes);
      await server.start();
      const before = load.ends.size;
      await timePassesUntil(async () => load.ends.size >= before + 20, ...nodes);
      await whileTimePasses(load.stop(), ...nodes);
      const { id } = (await whileTimePasses(running, ...nodes)).json;
      const read = async () => (await nodes[2].request("GET", `/v1/responses/${id}`)).json.status;
      await timePassesUntil(async () => (await read()) !== "in_progress", ...nodes);
      assert.equal(await read(), "completed", "no live run is taken for dead");
      await assertWhole(cluster, load);
    };
    await withCluster(SETTINGS, failsMeanwhile, { of: own });
  });
}

test("F-06: connections that are killed again and again cost 503s at most", async () => {
  await withCluster(SETTINGS, async (cluster) => {
    const load = startLoad(cluster.nodes, 8);
    for (let time = 0; time < 30; time++) {
      await whileTimePasses(sleep(10), ...cluster.nodes);
      await cluster.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
    }
    await whileTimePasses(load.stop(), ...cluster.nodes);
    await assertWhole(cluster, load);
  });
});

test("F-07: when answers to COMMIT are lost, each response has one outcome, and none runs on its own", async (t) => {
  let proxy: Awaited<ReturnType<typeof startPostgresProxy>> | undefined;
  await withCluster(
    SETTINGS,
    async (cluster) => {
      const load = startLoad(cluster.nodes, 6);
      for (let time = 0; time < 60; time++) {
        proxy?.cutAfter(COMMIT);
        await whileTimePasses(sleep(10), ...cluster.nodes);
      }
      await whileTimePasses(load.stop(), ...cluster.nodes);
      assert.deepEqual([...load.passed], [], "clients notice nothing");
      await assertWhole(cluster, load);
    },
    { reach: async (url) => (proxy = await startPostgresProxy(t, url)).url },
  );
});

for (const [how, isReachable] of [
  ["lost", true],
  ["lost with the database", false],
] as const) {
  test(`F-07: a withdrawal whose answer to COMMIT is ${how} is its provider's error, and its key is free`, async (t) => {
    let proxy: Awaited<ReturnType<typeof startPostgresProxy>> | undefined;
    await withCluster(
      SETTINGS,
      async (cluster) => {
        const { nodes } = cluster;
        const { opened, open } = gate();
        nodes[0].provider.plays([opened, fails("provider_overloaded")]);
        const headers = { "idempotency-key": "refused" };
        const body = { input: "Hi", model: "test/priced" };
        const refused = nodes[0].create(body, { headers });
        await timePassesUntil(async () => nodes[0].provider.calls.length === 1);
        let isCut = false;
        proxy?.cutAfter(COMMIT, () => {
          isCut = true;
          if (!isReachable) proxy?.refuse();
        });
        open();
        await until("the cut", () => isCut);
        const isRepeated = () => nodes[0].logged.some(({ event }) => event === "store.unavailable");
        if (!isReachable) await until("the store's answer", isRepeated);
        proxy?.restore();
        assertApiError(await whileTimePasses(refused, nodes[0]), { status: 502, code: "provider_overloaded" });
        const again = await nodes[1].create(body, { headers });
        assert.equal(again.json.status, "completed");
        await assertWhole(cluster, { ends: new Map() });
      },
      { reach: async (url) => (proxy = await startPostgresProxy(t, url)).url },
    );
  });
}

test("F-08: a database that answers nothing costs 503s, and no live run is taken for dead afterwards", {
  skip: unlessDrawn(0),
}, async (t) => {
  let proxy: Awaited<ReturnType<typeof startPostgresProxy>> | undefined;
  await withCluster(
    SETTINGS,
    async (cluster) => {
      const { nodes } = cluster;
      const { opened, open } = gate();
      nodes[0].provider.plays([[{ type: "text", text: "so far" }], opened, FINISHED]);
      const running = nodes[0].create({ input: "Hi", model: "test/priced" });
      await timePassesUntil(async () => nodes[0].provider.calls.length === 1);
      proxy?.stall();
      const [refused, ready, health] = await Promise.all([
        nodes[1].create({ input: "Hi" }),
        nodes[1].request("GET", "/readyz"),
        nodes[1].request("GET", "/healthz"),
      ]);
      assertApiError(refused, { status: 503, code: "auth_unavailable" });
      assert.deepEqual([ready.status, health.status], [503, 200]);
      open();
      // So long that every lease is over.
      await cluster.sql("update nodes set lease_until_ms = 0");
      proxy?.restore();
      const load = startLoad(nodes, 3);
      await timePassesUntil(async () => load.ends.size >= 10, ...nodes);
      await whileTimePasses(load.stop(), ...nodes);
      const { id } = (await whileTimePasses(running, ...nodes)).json;
      const read = async () => (await nodes[2].request("GET", `/v1/responses/${id}`)).json.status;
      await timePassesUntil(async () => (await read()) !== "in_progress", ...nodes);
      assert.equal(await read(), "completed");
      for (const { logged } of nodes) assert.ok(logged.every(({ event }) => event !== "node.lost"));
      await assertWhole(cluster, load);
    },
    { reach: async (url) => (proxy = await startPostgresProxy(t, url)).url },
  );
});

test("F-09: a lock that somebody holds costs those who need the row a 503, and nobody else", async () => {
  const server = await databases.server();
  await withCluster(SETTINGS, async (cluster) => {
    const { nodes } = cluster;
    const { organizationId } = await nodes[0].newOrganization();
    const { secret: key } = await nodes[0].newKey(organizationId);
    const holder = await server.connect(cluster.database);
    const { opened, open } = gate();
    nodes[0].provider.plays([opened, FINISHED]);
    const running = nodes[0].create({ input: "Hi", model: "test/priced" }, { key });
    await timePassesUntil(async () => nodes[0].provider.calls.length === 1);
    await holder.query(`begin; select 1 from balances where organization_id = '${organizationId}' for update`);
    const load = startLoad(nodes, 3);
    const refused = await nodes[1].create({ input: "Hi", model: "test/priced" }, { key });
    assertApiError(refused, { status: 503, code: "database_unavailable" });
    open();
    await timePassesUntil(async () => load.ends.size >= 10);
    await whileTimePasses(load.stop(), ...nodes);
    assert.deepEqual([...load.passed.keys()], [], "other organizations are served");
    await holder.query("rollback");
    await holder.end();
    assert.equal((await whileTimePasses(running, ...nodes)).json.status, "completed");
    assert.equal((await nodes[1].create({ input: "Hi", model: "test/priced" }, { key })).status, 200);
    await assertWhole(cluster, load);
  });
});

test("F-10: a full disk costs creates a 503; what is stored is read, and it heals", async () => {
  await withCluster(SETTINGS, async (cluster) => {
    const { nodes, sql } = cluster;
    const load = startLoad(nodes, 3);
    await timePassesUntil(async () => load.ends.size >= 5, ...nodes);
    await sql(`
      create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger full_disk before insert on items for each row execute function full_disk();
      create trigger full_disk before insert on responses for each row execute function full_disk()`);
    assertApiError(await nodes[1].create({ input: "Hi" }), { status: 503, code: "database_unavailable" });
    const [end] = load.ends.values();
    assert.equal((await nodes[2].request("GET", `/v1/responses/${end?.json.id}`)).text, end?.text);
    await whileTimePasses(sleep(100), ...nodes);
    await sql("drop function full_disk cascade");
    const before = load.ends.size;
    await timePassesUntil(async () => load.ends.size >= before + 5, ...nodes);
    await whileTimePasses(load.stop(), ...nodes);
    await assertWhole(cluster, load);
  });
});
