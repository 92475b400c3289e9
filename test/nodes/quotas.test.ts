// Allowances and open streams hold for the organization over all nodes, wherever its requests arrive.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gate, says } from "../support/scripted-provider.ts";
import { startPostgresProxy } from "../store/postgres-proxy.ts";
import { timePassesUntil, whileTimePasses, withCluster } from "./cluster.ts";

test("of three times as many creates over three nodes exactly the allowance is granted", async () => {
  const limits = { requests_per_minute: { create: 30, retrieve: 1000, delete: 1000 } };
  await withCluster({ limits }, async ({ nodes, sql }) => {
    const answers = await Promise.all(Array.from({ length: 90 }, (_, at) => nodes[at % 3]!.create({ input: "Hi" })));
    const granted = answers.filter(({ status }) => status === 200).length;
    // While the requests came, the allowance refilled by one every two seconds.
    const [row] = await sql("select remaining, at_ms from allowances where class = 'create'");
    assert.ok(granted >= 30, `${granted} granted`);
    const refilled = 30 * 60_000 + 30 * 60_000 - Number(row?.["remaining"]);
    assert.ok(granted <= refilled / 60_000 + 10, `${granted} granted`);
    for (const { status, json, headers } of answers) {
      if (status === 200) continue;
      assert.deepEqual([status, json.error.code], [429, "rate_limit_exceeded"]);
      assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
      assert.equal(headers["x-ratelimit-limit-requests"], "30");
    }
  });
});

test("an organization has as many open streams on all nodes together as it may have, and those of a dead node are free", async () => {
  await withCluster({ limits: { open_streams_per_organization: 4 } }, async ({ nodes, sql }) => {
    const { opened, open } = gate();
    for (const { provider } of nodes)
      for (let at = 0; at < 8; at++) provider.plays([opened, ...(says("ok") as never[])]);
    let ended = 0;
    const ask = async (at: number) => {
      const answer = await nodes[at % 3]!.stream({ input: "Hi" });
      ended++;
      return answer;
    };
    const streams = Array.from({ length: 24 }, (_, at) => ask(at));
    await timePassesUntil(async () => ended === 20);
    open();
    const answers = await whileTimePasses(Promise.all(streams), ...nodes);
    assert.equal(answers.filter(({ status }) => status === 200).length, 4);
    for (const { status, text } of answers) if (status !== 200) assert.match(text, /stream_limit_exceeded/);
    // What was drawn and is not used goes back.
    const taken = async () => Number((await sql("select sum(places) as places from stream_places"))[0]?.["places"]);
    await timePassesUntil(async () => (await taken()) === 0, ...nodes);

    await sql("insert into stream_places (organization_id, node_id, places) values ('org_1', 1, 4)");
    assert.equal((await nodes[0].stream({ input: "Hi" })).status, 200);
  });
});

test("F-05: the streams that end while the database is away are not counted when it is back", async (t) => {
  let proxy: Awaited<ReturnType<typeof startPostgresProxy>> | undefined;
  await withCluster(
    { limits: { open_streams_per_organization: 4 } },
    async ({ nodes, sql }) => {
      const { opened, open } = gate();
      for (let at = 0; at < 4; at++) nodes[0].provider.plays([opened, ...(says("ok") as never[])]);
      const streams = Array.from({ length: 4 }, () => nodes[0].stream({ input: "Hi" }));
      await timePassesUntil(async () => nodes[0].provider.calls.length === 4);
      proxy?.refuse();
      open();
      for (const { text } of await whileTimePasses(Promise.all(streams), ...nodes))
        assert.match(text, /response_unresolved/);
      // Their return has failed.
      await nodes[0].clock.advance(1500);
      proxy?.restore();
      const taken = async () => Number((await sql("select sum(places) as places from stream_places"))[0]?.["places"]);
      assert.equal(await taken(), 4);
      await timePassesUntil(async () => (await taken()) === 0, ...nodes);
      assert.equal((await whileTimePasses(nodes[1].stream({ input: "Hi" }), ...nodes)).status, 200);
    },
    { reach: async (url) => (proxy = await startPostgresProxy(t, url)).url },
  );
});

test("tokens a minute hold over all nodes: the turns together draw no more than there are", async () => {
  await withCluster({}, async ({ nodes, sql }) => {
    await sql("update organizations set limits = '{\"tokensPerMinute\": 5050}', rules = null where id = 'org_1'");
    const { opened, open } = gate();
    for (const { provider } of nodes)
      for (let at = 0; at < 8; at++) provider.plays([opened, ...(says("ok") as never[])]);
    let denied = 0;
    const ask = async (at: number) => {
      const reply = await nodes[at % 3]!.create({ input: "Hi" });
      if (reply.status === 429) denied++;
      return reply;
    };
    const asked = Array.from({ length: 24 }, (_, at) => ask(at));
    await timePassesUntil(async () => denied === 19);
    open();
    const replies = await whileTimePasses(Promise.all(asked), ...nodes);
    assert.equal(replies.filter(({ status }) => status === 200).length, 5);
    // What they used, 15 tokens each, counts in the end.
    const left = async () =>
      Number((await sql("select remaining from allowances where class = 'tokens'"))[0]?.["remaining"]);
    await timePassesUntil(async () => (await left()) >= (5050 - 5 * 15) * 60_000);
  });
});
