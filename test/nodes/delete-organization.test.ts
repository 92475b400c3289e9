// The deletion of an organization on one of several nodes: its key is dead on all, its turns on other nodes are
// cancelled, one node erases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TESTS } from "../support/actor.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import { dumpTables } from "../support/tables.ts";
import { timePassesUntil, whileTimePasses, withCluster } from "./cluster.ts";

const CANARY = "canary-b0c4d7";

test("an organization is deleted on all nodes, with the response that another node runs", async () => {
  await withCluster({}, async ({ nodes }) => {
    const [one, other] = nodes;
    const { opened, open } = gate();
    other.provider.plays([opened, ...(says(CANARY) as never[])]);
    const stream = await LiveStream.open(other, { model: "test/all", stream: true, input: CANARY });
    const { id: responseId } = (await stream.sees("response.created")).data.response;
    const organization = await one.store.findOrganization({ idOrName: one.organizationId });
    assert.ok(organization);
    await one.store.deleteOrganization({ by: TESTS, organizationId: organization.id });
    for (const node of nodes) assert.equal((await node.create({ input: "hello" })).json.error.code, "invalid_api_key");

    const stops = nodes.map((node) => node.gateway.startHousekeeping());
    await whileTimePasses(stream.closed, ...nodes);
    assert.equal(other.provider.aborted, 1, "its provider call is closed");
    const erasedAt = async () => (await one.store.findOrganization({ idOrName: organization.id }))?.erasedAtMs ?? null;
    await timePassesUntil(async () => (await erasedAt()) !== null, ...nodes);
    await whileTimePasses(Promise.all(stops.map((stop) => stop())), ...nodes);
    const values = Object.values(await dumpTables(one))
      .flat()
      .flatMap(Object.values);
    assert.ok(!values.some((value) => String(value).includes(CANARY)));
    const erasures = nodes.flatMap(({ logged }) => logged.filter(({ event }) => event === "organization.erased"));
    assert.equal(erasures.length, 1);
    const turn = await one.store.findResponse({ organizationId: organization.id, memberId: null, responseId });
    assert.equal(turn?.status, "cancelled");
    assert.deepEqual((await one.store.reconcile({ organizationId: null })).differences, []);
    open();
  });
});
