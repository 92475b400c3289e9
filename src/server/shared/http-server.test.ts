import assert from "node:assert/strict";
import { once } from "node:events";
import { BoundSocket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { loopTurns } from "../../../test/support/event-loop.ts";
import { createIds } from "../../system/ids.ts";
import { createSystemClock } from "../../system/clock.ts";
import { createHttpServer } from "./http-server.ts";

const build = () =>
  createHttpServer({
    clock: createSystemClock(),
    ids: createIds(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    silenceSeconds: 5,
    sockets: 2,
    arrival: undefined,
    isReady: async () => true,
    handleUnknown: ({ response }) => response.end(),
    rejectUnrouted: ({ response }) => response.end(),
  });

test("requests that arrive before the service is ready wait, and are then served", async () => {
  const server = build();
  const order: string[] = [];
  server.add("GET", "/x", ({ response }) => {
    order.push("served");
    response.end();
  });
  const { promise: until, resolve: open } = Promise.withResolvers<void>();
  const { port } = await server.listen({ host: "127.0.0.1", port: 0, until });
  const early = fetch(`http://127.0.0.1:${port}/x`);
  // More than a request takes that does not wait.
  await loopTurns();
  order.push("opened");
  open();
  assert.equal((await early).status, 200);
  assert.deepEqual(order, ["opened", "served"]);
  assert.equal((await fetch(`http://127.0.0.1:${port}/x`)).status, 200);
  await server.close({ afterSeconds: 1, onCut: () => {} });
});

test("a server that closes before it was ready serves the waiting requests", async () => {
  const server = build();
  server.add("GET", "/x", ({ response }) => response.end());
  const { port } = await server.listen({ host: "127.0.0.1", port: 0, until: new Promise(() => {}) });
  const waiting = connect(port, "127.0.0.1");
  await once(waiting, "connect");
  waiting.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await loopTurns();
  await server.close({ afterSeconds: 60, onCut: () => assert.fail("connections were cut") });
  assert.match(await text(waiting), /^HTTP\/1\.1 200 /);
});

test("a request that has arrived when the server closes is answered, though its connection was idle", async () => {
  const server = build();
  server.add("GET", "/x", ({ response }) => response.end());
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const client = connect(port, "127.0.0.1");
  client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "data");
  // The system has these bytes before the server's loop can read them.
  client.write("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  const closed = server.close({ afterSeconds: 60, onCut: () => assert.fail("connections were cut") });
  assert.match(await text(client), /^HTTP\/1\.1 200 [^]*connection: close/i);
  await closed;
});

test("a server listens on sockets that another process has bound", async () => {
  const bound = [1, 2].map(() => new BoundSocket({ host: "127.0.0.1" }));
  const server = build();
  server.add("GET", "/x", ({ response }) => response.end("served"));
  const { port } = await server.listen({ descriptors: bound.map((socket) => socket.fd()) });
  const ports = bound.map((socket) => socket.address().port);
  assert.equal(port, ports[0]);
  for (const each of ports) assert.equal(await (await fetch(`http://127.0.0.1:${each}/x`)).text(), "served");
  await server.close({ afterSeconds: 1, onCut: () => {} });
});
