// Slow senders: limits for the headers and for the whole request (docs/wire.md, Objects).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ARRIVAL_LIMITS } from "../../../src/server/shared/node-server.ts";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

/** Node looks for slow senders as often as headers may take here, so that each limit is kept within that. */
const arrival = { headersMs: 200, requestMs: 600 };

test("the limits are 10 s for headers and 30 s for a body", () => {
  assert.deepEqual(ARRIVAL_LIMITS, { headersMs: 10_000, requestMs: 30_000 });
});

for (const { name, text, afterMs } of [
  { name: "headers that do not end", text: "GET /v1/models HTTP/1.1\r\nHost:", afterMs: arrival.headersMs },
  {
    name: "a body that does not end",
    text: requestText("POST", "/v1/responses", ["Content-Length: 9"], "{"),
    afterMs: arrival.requestMs,
  },
]) {
  test(`${name} get a 408 in the envelope`, async () => {
    await using server = await startServer({ arrival });
    const connection = await server.open();
    const startedMs = performance.now();
    connection.socket.write(text);
    const reply = parseReply(await connection.until(/\}\}$/));
    const tookMs = performance.now() - startedMs;
    assert.equal(reply.status, 408);
    assert.equal(JSON.parse(reply.body).error.code, "invalid_input");
    assert.ok(reply.headers.has("x-request-id"));
    assert.ok(tookMs >= afterMs - 10, `${tookMs} ms`);
    assert.equal(server.exchanges.length, 0);
  });
}

test("an unread body is limited in time too", async () => {
  await using server = await startServer({ arrival });
  const connection = await server.open();
  connection.socket.write(
    requestText("POST", "/v1/responses/resp_1/cancel", ["Content-Length: 9"], "{").replace("close", "x"),
  );
  const text = await connection.ended();
  assert.match(text, /^HTTP\/1\.1 200 OK/);
  // The client would take a 408 after the response for the response to its next request.
  assert.doesNotMatch(text, /408/);
});

test("a slow response is not a slow request", async () => {
  await using server = await startServer({
    arrival,
    async serve() {
      await new Promise((resolve) => setTimeout(resolve, arrival.requestMs + 3 * arrival.headersMs));
      return { kind: "json", body: { late: true } };
    },
  });
  const reply = parseReply(await server.sendRaw(requestText("POST", "/v1/responses", ["Content-Length: 2"], "{}")));
  assert.equal(reply.body, '{"late":true}');
});
