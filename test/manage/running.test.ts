// What runs and waits now, of an organization and of all: which responses, how they are read, the queue and the
// streams.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";
import { ManagedService } from "./managed-service.ts";

test("running and queued responses are listed until they end, to their own organization and to the operator", async () => {
  const managed = await ManagedService.start({ limits: { concurrent_turns: 2 } });
  const { service } = managed;
  const { opened, open } = gate();
  for (let turn = 0; turn < 4; turn++) service.provider.plays([opened, ...(says("ok") as never[])]);
  try {
    const own = `/organizations/${service.organizationId}/running`;
    const { organizationId: elsewhere } = await service.newOrganization();
    const { secret, keyId } = await service.newKey(elsewhere);
    const read = async (path: string): Promise<Loose> => {
      const { status, json, text } = await managed.ask(managed.operator, "GET", path);
      assert.equal(status, 200, text);
      return json;
    };
    const empty = { data: [], has_more: false, in_progress: 0, queued: 0 };
    const idle = { in_progress: 0, queued: 0, open_streams: 0 };
    assert.deepEqual(await read(own), { ...empty, this_node: idle });

    const streamed = await LiveStream.open(service, { model: "test/all", stream: true, input: "secret words" });
    const { id: first } = (await streamed.sees("response.created")).data.response;
    const waited = service.create({ input: "secret words" }, { key: secret });
    await until("the second turn", async () => service.provider.calls.length === 2);
    const queued = await LiveStream.open(service, { model: "test/group-a", stream: true, input: "secret words" });
    const { id: last } = (await queued.sees("response.queued")).data.response;

    const since = Math.floor(service.clock.nowMs() / 1000);
    const ofKey = { organization: service.organizationId, key: service.keyId, key_name: `key ${service.keyId}`, since };
    const turns = [
      { id: first, ...ofKey, model: "test/all", status: "in_progress", stream: true },
      { id: last, ...ofKey, model: "test/group-a", status: "queued", stream: true },
    ];
    assert.deepEqual(await read(own), {
      data: turns,
      has_more: false,
      in_progress: 1,
      queued: 1,
      this_node: { in_progress: 1, queued: 1, open_streams: 2 },
    });
    const all = await read("/running");
    const second = all.data[1];
    assert.deepEqual(second, {
      id: second.id,
      organization: elsewhere,
      key: keyId,
      key_name: `key ${keyId}`,
      model: "test/all",
      since,
      status: "in_progress",
      stream: false,
    });
    assert.deepEqual([all.data[0], all.data[2], all.in_progress, all.queued], [...turns, 2, 1]);
    assert.deepEqual(all.this_node, {
      in_progress: 2,
      queued: 1,
      open_streams: 2,
      creates_admitted: all.this_node.creates_admitted,
      concurrent_turns: 2,
      queued_turns: 500,
    });
    const other = await managed.newProgram(elsewhere, "admin");
    const { json } = await managed.ask(other, "GET", `/organizations/${elsewhere}/running`);
    assert.deepEqual(json.data, [second]);
    assert.ok(!JSON.stringify([all, json]).includes("secret words"));

    open();
    await Promise.all([streamed.closed, waited, queued.closed]);
    // A stream counts as open until its socket has ended, which the client may see first.
    await until("the end of the streams", async () => (await read(own)).this_node.open_streams === 0);
    assert.deepEqual(await read(own), { ...empty, this_node: idle });
    assert.equal((await read("/running")).in_progress, 0);
  } finally {
    open();
    await managed.close();
  }
});

test("a running response of a suspended organization ends as usual; its next request is rejected", async () => {
  const managed = await ManagedService.start();
  const { service } = managed;
  const { opened, open } = gate();
  service.provider.plays([opened, ...(says("ok") as never[])]);
  try {
    const stream = await LiveStream.open(service, { input: "hello" });
    await stream.sees("response.created");
    const suspended = await managed.ask(managed.operator, "POST", `/organizations/${service.organizationId}/suspend`);
    assert.equal(suspended.status, 200, suspended.text);
    assert.equal((await service.create({ input: "more" })).json.error.code, "access_denied");
    open();
    await stream.closed;
    assert.equal(stream.events.at(-1)?.data.response.status, "completed");
  } finally {
    open();
    await managed.close();
  }
});
