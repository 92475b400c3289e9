// Stopping: no new connections, open responses finish, and nothing stays open for ever.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/contract/limits.ts";
import type { StreamReader } from "../../../src/flows/request-context.ts";
import { loopTurns } from "../../support/event-loop.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";
import { requestText, startServer } from "./scripted-server.ts";

const GET = "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n";

test("idle connections end at once, new ones are rejected", async () => {
  const server = await startServer();
  const idle = await server.open();
  idle.socket.write(GET);
  await idle.until(/"ok":true/);
  const fresh = await server.open();
  await server.server.close();
  assert.match(await idle.ended(), /keep-alive/i);
  assert.equal(await fresh.ended(), "");
  const rejected = await new Promise((resolve) => {
    connect(server.port, "127.0.0.1").on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  assert.equal(rejected, "ECONNREFUSED");
});

test("an open response is finished, and its connection ends with it", async () => {
  const slow = Promise.withResolvers<void>();
  const server = await startServer({
    async serve() {
      await slow.promise;
      return { kind: "json", body: { finished: true } };
    },
  });
  const connection = await server.open();
  connection.socket.write(GET);
  await until("the request", () => server.exchanges.length === 1);
  const closed = server.server.close();
  await loopTurns();
  slow.resolve();
  assert.match(await connection.ended(), /\{"finished":true\}$/);
  await closed;
});

test("a stream goes on to its end", async () => {
  const reader = Promise.withResolvers<StreamReader>();
  const server = await startServer({
    serve: async () => ({
      kind: "stream",
      includeObfuscation: false,
      watch(given) {
        reader.resolve(given);
        return () => {};
      },
    }),
  });
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses").replace("Connection: close", "X: y"));
  const open = await reader.promise;
  const closed = server.server.close();
  await loopTurns();
  open.event({ type: "response.refusal.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "end" });
  open.end();
  assert.match(await connection.ended(), /"end"[\s\S]*\r\n0\r\n\r\n$/);
  await closed;
});

test("a request on a busy connection is served: rejecting it is up to the gateway", async () => {
  const slow = Promise.withResolvers<void>();
  const server = await startServer({
    async serve({ operation }) {
      if (operation === "listModels") await slow.promise;
      return { kind: "json", body: { operation } };
    },
  });
  const connection = await server.open();
  connection.socket.write(GET);
  await until("the request", () => server.exchanges.length === 1);
  const closed = server.server.close();
  connection.socket.write("GET /v1/responses/r HTTP/1.1\r\nHost: x\r\n\r\n");
  await loopTurns();
  slow.resolve();
  assert.match(await connection.ended(), /listModels[\s\S]*retrieveResponse/);
  await closed;
});

test("an incomplete request does not keep the server open", async () => {
  const server = await startServer();
  const connection = await server.open();
  connection.socket.write("GET /v1/models HTTP/1.1\r\nHost:");
  await loopTurns();
  await server.server.close();
  await connection.ended();
});

test("responses that do not end are cut shortly after the drain limit", async () => {
  const clock = new FakeClock();
  const server = await startServer({ clock, serve: () => new Promise(() => {}) });
  const connection = await server.open();
  connection.socket.write(GET);
  await until("the request", () => server.exchanges.length === 1);
  const closed = server.server.close();
  await clock.advance(DEFAULT_LIMITS.drain_seconds * 1000);
  assert.equal(server.logged.length, 0, "not before the gateway has ended what ran");
  await clock.advance(5000);
  await closed;
  assert.equal(await connection.ended(), "");
  assert.equal(server.logged[0]?.event, "server.connections_cut");
  assert.equal(clock.pending, 0);
});

test("the server is not ready while it stops", async () => {
  const slow = Promise.withResolvers<void>();
  const server = await startServer({
    async serve() {
      await slow.promise;
      return { kind: "json", body: {} };
    },
  });
  const busy = await server.open();
  busy.socket.write(GET);
  await until("the request", () => server.exchanges.length === 1);
  const closed = server.server.close();
  busy.socket.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  await loopTurns();
  slow.resolve();
  assert.match(await busy.ended(), /HTTP\/1\.1 503[\s\S]*not_ready/);
  await closed;
});
