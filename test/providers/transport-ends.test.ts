// How an answer on a provider's connection ends: by an abort, by its last word, by closing the provider.
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers/promises";
import { LINGER_MS } from "../../src/providers/wire/bounds.ts";
import { httpChunk, textEvent, type WireRequest, writeAnswer, writeHead } from "./wire-server.ts";
import { setUp, run, assertFailure, WHOLE } from "./transport-bench.ts";

test("an abort before the request makes no connection", async (context) => {
  const { server, provider } = await setUp(context, () => {});
  assertFailure(await run(provider, AbortSignal.abort()), "canceled", false);
  assert.equal(server.opened, 0);
});

test("an abort while connecting, waiting and reading closes the connection at once, and nothing is passed on after it", async (context) => {
  const moments: [string, (request: WireRequest) => void, "connecting" | "waiting" | "reading"][] = [
    ["connecting", () => {}, "connecting"],
    ["waiting for the head", () => {}, "waiting"],
    [
      "reading",
      ({ socket }) => {
        writeHead(socket);
        socket.write(httpChunk(textEvent("Half")));
        socket.on("drain", () => {});
      },
      "reading",
    ],
  ];
  for (const [name, script, moment] of moments) {
    await context.test(name, async (inner) => {
      const controller = new AbortController();
      const { server, provider } = await setUp(inner, script);
      const ran = run(provider, controller.signal, () => {
        if (moment === "reading") controller.abort();
      });
      if (moment === "connecting") controller.abort();
      if (moment === "waiting") {
        while (server.requests.length === 0) await setImmediate();
        controller.abort();
      }
      const ended = await ran;
      assertFailure(ended, "canceled", false);
      assert.equal(ended.parts.length, moment === "reading" ? 1 : 0);
      // The pending connection is established, then closed without data.
      while (server.opened === 0) await setImmediate();
      while (server.open > 0 && server.requests.length <= (moment === "connecting" ? 0 : 1)) await setImmediate();
      assert.equal(server.requests.length, moment === "connecting" ? 0 : 1);
    });
  }
});

test("an abort after the end does nothing to the kept connection", async (context) => {
  const { server, provider } = await setUp(context, ({ socket }) => writeAnswer(socket, 200, WHOLE));
  const controller = new AbortController();
  assert.equal((await run(provider, controller.signal)).failure, null);
  controller.abort();
  await setImmediate();
  assert.equal((await run(provider)).failure, null);
  assert.equal(server.opened, 1);
});

test("[DONE] ends the response, also when the body stays open; its connection is closed after a while", async (context) => {
  const { server, provider, clock } = await setUp(context, ({ socket }) => {
    writeHead(socket);
    socket.write(httpChunk(WHOLE));
  });
  assert.equal((await run(provider)).failure, null);
  assert.equal(server.open, 1);
  clock.advance(LINGER_MS);
  await server.closed();
});
