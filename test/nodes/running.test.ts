// What runs now, and on which nodes, as one of several nodes shows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { NODES } from "../../src/manage/nodes.ts";
import { RUNNING } from "../../src/manage/running.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import type { TestService } from "../support/service.ts";
import { whileTimePasses, withCluster } from "./cluster.ts";

test("the responses of all nodes are listed; only their own node knows that they are streamed, and its streams", async () => {
  await withCluster({}, async ({ nodes, sql }) => {
    const [one, other, third] = nodes;
    const { opened, open } = gate();
    one.provider.plays([opened, ...(says("ok") as never[])]);
    const stream = await LiveStream.open(one, { model: "test/all", stream: true, input: "Hi" });
    const { id } = (await stream.sees("response.created")).data.response;
    const seenBy = async ({ manageServices }: TestService) => {
      const shown = await RUNNING.operations.listAllRunning.run(manageServices as never, {});
      const { in_progress: running, open_streams: streams } = shown.this_node;
      return [shown.data.map((turn) => [turn.id, turn.stream]), shown.in_progress, running, streams];
    };
    assert.deepEqual(await seenBy(one), [[[id, true]], 1, 1, 1]);
    assert.deepEqual(await seenBy(other), [[[id, null]], 1, 0, 0]);
    const listed = async () => (await NODES.operations.listNodes.run(other.manageServices as never, {})).data;
    const shown = (await listed()).map((node) => [node.state, node.running_turns, node.gone_at]);
    assert.deepEqual(shown, [
      ["serving", 1, null],
      ["serving", 0, null],
      ["serving", 0, null],
    ]);
    for (const { name, version, schema_version: schema, started_at: startedAt, lease_until: until } of await listed()) {
      assert.equal(schema, listMigrations().length);
      assert.deepEqual({ name, version }, other.manageServices.self);
      assert.ok(until > startedAt);
    }
    // A node that died when no other was left to notice.
    await sql("update nodes set lease_until_ms = 1 where started_at_ms = (select max(started_at_ms) from nodes)");
    assert.deepEqual(
      (await listed()).map((node) => [node.state, node.gone_at]),
      [
        ["serving", null],
        ["serving", null],
        ["gone", null],
      ],
    );
    open();
    await whileTimePasses(stream.closed, ...nodes);
    await whileTimePasses(third.stop(), ...nodes);
    const [, , last] = await listed();
    assert.equal(last?.state, "gone");
    assert.ok(last.gone_at !== null && last.gone_at >= last.started_at);
  });
});
