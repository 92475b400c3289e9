// Streams and responses of a service that stops. @spec events, limits
import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { describe, test } from "node:test";
import { readFrames } from "../../support/http-client.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { gate, says } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";
import { until } from "../../support/until.ts";

describe("a service that stops", () => {
  /** One request on a connection that is kept. */
  function send(
    base: string,
    agent: Agent,
    key: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string; close: boolean }> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        new URL(path, base),
        { method, agent, headers: { authorization: `Bearer ${key}` } },
        (reply) => {
          let text = "";
          reply.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          reply.on("end", () =>
            resolve({ status: reply.statusCode ?? 0, text, close: reply.headers.connection === "close" }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  test("finishes running responses, rejects new work as gateway_overloaded, leaves no response running", async () => {
    const draining = await TestService.start();
    const { opened, open } = gate();
    draining.provider.plays([opened, ...says("done")], [opened, ...says("done")]);
    const stream = await LiveStream.open(draining, {});
    const pending = draining.create({ input: "Hi" });
    await until("both calls", () => draining.provider.calls.length === 2);
    const stopped = draining.stop();
    const rejected = await draining.create({ input: "new" });
    assert.deepEqual([rejected.status, rejected.json.error.code], [503, "gateway_overloaded"]);
    open();
    const reply = await pending;
    assert.deepEqual([reply.status, reply.json.status], [200, "completed"]);
    await stream.closed;
    assert.equal(stream.events.at(-1)?.event, "response.completed");
    await stopped;
    const rows = (await dumpTables(draining))["responses"] as { status: string }[];
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["completed", "completed"],
    );
  });

  test("new work on a connection that is still busy is 503; reads and cancels are served", async () => {
    const draining = await TestService.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const open = draining.provider.playsLater("done");
    const stream = await LiveStream.open(draining, {});
    await stream.sees("response.in_progress");
    // Drains as SIGTERM does, but for the server: its connections stay for this test to use.
    const drained = draining.gateway.drain();
    const body = { model: "test/all", input: "new" };
    for (const [method, path] of [
      ["POST", "/v1/responses"],
      ["POST", "/v1/conversations"],
    ] as const) {
      const rejected = await send(draining.baseUrl, agent, draining.key, method, path, body);
      assert.equal(rejected.status, 503);
      assert.ok(rejected.text.includes("gateway_overloaded"));
    }
    const read = await send(draining.baseUrl, agent, draining.key, "GET", `/v1/responses/${stream.id}`);
    assert.equal(read.status, 200);
    const ready = await send(draining.baseUrl, agent, draining.key, "GET", "/readyz");
    assert.equal(ready.status, 503);
    open();
    await drained;
    await stream.closed;
    agent.destroy();
    await draining.close();
  });

  test("for the time of notice it is not ready and still takes new work", async () => {
    const draining = await TestService.start({ limits: { drain_notice_seconds: 5 } });
    const drained = draining.gateway.drain();
    assert.equal((await draining.request("GET", "/readyz")).status, 503);
    await draining.clock.advance(4900);
    assert.equal((await draining.create({ input: "new" })).status, 200);
    await draining.clock.advance(100);
    assert.equal((await draining.create({ input: "late" })).json.error.code, "gateway_overloaded");
    await drained;
    await draining.close();
  });

  test("at the drain limit a stream ends as unresolved and its response is settled as run_failed", async () => {
    const draining = await TestService.start();
    draining.provider.plays([[{ type: "text", text: "a" }], new Promise(() => {})], [new Promise(() => {})]);
    const stream = await LiveStream.open(draining, {});
    await stream.sees("response.output_text.delta");
    const pending = draining.create({ input: "Hi" });
    await until("both calls", () => draining.provider.calls.length === 2);
    const stopped = draining.stop();
    await draining.clock.advance(29_999);
    assert.equal(stream.isClosed, false);
    await draining.clock.advance(1);
    await stream.closed;
    const last = readFrames(stream.text).events.at(-1);
    assert.deepEqual([last?.event, last?.data.code], ["error", "response_unresolved"]);
    const reply = await pending;
    assert.deepEqual([reply.status, reply.json.status], [200, "failed"]);
    const message = "The service stopped before the turn ended.";
    assert.deepEqual(reply.json.error, { code: "run_failed", message });
    await stopped;
    const rows = (await dumpTables(draining))["responses"] as { status: string }[];
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["failed", "failed"],
    );
  });
});
