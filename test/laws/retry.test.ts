// A retry gets the first reply again, streaming or not, on all four routes, also across a restart. @spec limits
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import { readFrames } from "../support/http-client.ts";
import { serviceForFile } from "../support/service.ts";
import { dumpTables } from "../support/tables.ts";
import { scripts, SEED, toScript } from "./provider-scripts.ts";

const service = await serviceForFile();

test("the same key and body: the same reply, now and after a restart; nothing runs or is stored twice", async () => {
  const drawn = fc.sample(
    fc.record({ script: scripts.filter(({ ending }) => ending !== "hangs"), stream: fc.boolean() }),
    { seed: SEED, numRuns: 60 },
  );
  const send = (index: number, stream: boolean) =>
    service.create(
      { input: `${index}`, stream, tools: [{ type: "function", name: "look_up" }] },
      {
        headers: { "idempotency-key": `${index}` },
      },
    );
  const firsts = [];
  for (const [index, { script, stream }] of drawn.entries()) {
    service.provider.plays(toScript(script));
    const answer = await send(index, stream);
    if (answer.status === 200) firsts.push({ index, stream, answer });
  }
  assert.ok(firsts.length > 40);
  // What was rejected meanwhile is written in batches, and at the latest when the service stops.
  await service.restart();
  const asked = service.provider.calls.length;
  const stored = await dumpTables(service);
  for (let round = 0; round < 3; round++) {
    for (const { index, stream, answer } of firsts) {
      const again = await send(index, stream);
      assert.equal(again.status, 200, again.text);
      if (!stream) {
        assert.equal(again.text, answer.text);
        continue;
      }
      const [first, second] = [readFrames(answer.text).events, readFrames(again.text).events];
      assert.deepEqual(second.at(-1)?.data.response, first.at(-1)?.data.response);
      assert.deepEqual(second[0]?.data.response, first[0]?.data.response);
      const done = (events: typeof first) =>
        events
          .filter(({ event }) => event === "response.output_item.done")
          .map(({ data }) => data.item)
          .sort((one, other) => (one.id < other.id ? -1 : 1));
      assert.deepEqual(done(second), done(first));
    }
    await service.restart();
  }
  assert.equal(service.provider.calls.length, asked);
  assert.deepEqual(await dumpTables(service), stored);
});

test("the conversation routes: the same reply across a restart", async () => {
  const items = [{ role: "user", content: "a" }];
  const headers = { "idempotency-key": "k" };
  const created = await service.request("POST", "/v1/conversations", {
    body: { items, metadata: { a: "1" } },
    headers,
  });
  const path = `/v1/conversations/${created.json.id}`;
  const send = () =>
    Promise.all([
      service.request("POST", path, { body: { metadata: { b: "2" } }, headers }),
      service.request("POST", `${path}/items`, { body: { items }, headers }),
    ]);
  const first = await send();
  const stored = await dumpTables(service);
  for (let round = 0; round < 2; round++) {
    await service.restart();
    assert.deepEqual(
      (await send()).map(({ text }) => text),
      first.map(({ text }) => text),
    );
  }
  const again = await service.request("POST", "/v1/conversations", { body: { metadata: { a: "1" }, items }, headers });
  assert.equal(again.json.id, created.json.id);
  assert.deepEqual(await dumpTables(service), stored);
});
