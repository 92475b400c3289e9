// What runs now, as one of several nodes shows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listAllRunning } from "../../src/flows/manage/running.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import type { TestService } from "../support/service.ts";
import { whileTimePasses, withCluster } from "./cluster.ts";

test("the turns of all nodes are listed; only their own node knows that they are streamed, and its streams", async () => {
  await withCluster({}, async ({ nodes }) => {
    const [one, other] = nodes;
    const { opened, open } = gate();
    one.provider.plays([opened, ...(says("ok") as never[])]);
    const stream = await LiveStream.open(one, { model: "test/all", stream: true, input: "Hi" });
    const { id } = (await stream.sees("response.created")).data.response;
    const seenBy = async ({ manageServices }: TestService) => {
      const shown = await listAllRunning({ services: manageServices } as never);
      const { in_progress: running, open_streams: streams } = shown.this_node;
      return [shown.data.map((turn) => [turn.id, turn.stream]), shown.in_progress, running, streams];
    };
    assert.deepEqual(await seenBy(one), [[[id, true]], 1, 1, 1]);
    assert.deepEqual(await seenBy(other), [[[id, null]], 1, 0, 0]);
    open();
    await whileTimePasses(stream.closed, ...nodes);
  });
});
