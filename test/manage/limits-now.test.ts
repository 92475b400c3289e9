// The limits that are in force for an organization, and what is used of them now.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import type { Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate, says } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";
import { ManagedService } from "./managed-service.ts";
import { replyShape } from "./reply-shape.ts";

test("the limits are the organization's own or the service's; what is used refills, and reading uses nothing", async () => {
  const managed = await ManagedService.start();
  const { service } = managed;
  const { opened, open } = gate();
  service.provider.plays([opened, ...(says("ok") as never[])]);
  try {
    const read = async (organizationId: string): Promise<Loose> => {
      const { status, json } = await managed.ask(managed.operator, "GET", `/organizations/${organizationId}/limits`);
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal(Check(replyShape("showLimits"), json as unknown), true, JSON.stringify(json));
      return json;
    };
    const { organizationId } = service;
    const { organizationId: elsewhere } = await service.newOrganization();
    const own = { create_per_minute: 6, open_streams: 3, concurrent_turns: 7 };
    await managed.ask(managed.operator, "POST", `/organizations/${organizationId}/limits`, { body: own });
    const unused = ["create", "retrieve", "delete"].map((each) => ({ class: each, used: 0, full_in_seconds: 0 }));
    const before = await read(organizationId);
    assert.deepEqual(before.this_node, { allowances: unused, open_streams: 0, turns: 0 });
    const { limits } = await read(elsewhere);
    assert.deepEqual(before.limits, { ...limits, ...own });
    // 80 % of the slots, and of the places in the queue.
    assert.equal(limits.concurrent_turns, 800 + 400);

    const streamed = await LiveStream.open(service, { model: "test/all", stream: true, input: "Hi" });
    await streamed.sees("response.created");
    await service.request("GET", "/v1/responses/resp_none");
    const used = async () => {
      const { allowances, open_streams: streams, turns } = (await read(organizationId)).this_node;
      return [allowances.map((each: Loose) => each.used), streams, turns];
    };
    assert.deepEqual(await used(), [[1, 1, 0], 1, 1]);
    assert.deepEqual(await used(), [[1, 1, 0], 1, 1]);
    assert.equal((await read(organizationId)).this_node.allowances[0].full_in_seconds, 10);
    assert.deepEqual((await read(elsewhere)).this_node, before.this_node);
    open();
    await streamed.closed;
    await until("the end of the stream", async () => (await read(organizationId)).this_node.open_streams === 0);
    await service.clock.advance(10_000);
    assert.deepEqual(await used(), [[0, 0, 0], 0, 0]);
  } finally {
    open();
    await managed.close();
  }
});
