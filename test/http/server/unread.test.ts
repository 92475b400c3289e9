// Requests that are rejected before their bodies are read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../src/contract/errors.ts";
import { startServer } from "./scripted-server.ts";

const HEAD = "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n";

test("under load a request is rejected before its body arrives, and its connection serves the next one", async (t) => {
  let isFull = true;
  const asked: string[] = [];
  const server = await startServer({
    assertCapacity(operation) {
      asked.push(operation);
      if (isFull) throw new ApiError("gateway_overloaded", "The service is overloaded.", { retryAfterSeconds: 1 });
    },
  });
  t.after(() => server[Symbol.asyncDispose]());
  const connection = await server.open();
  connection.socket.write(HEAD);
  const rejected = await connection.until(/overloaded/);
  assert.match(rejected, /^HTTP\/1\.1 503 /);
  assert.match(rejected, /retry-after: 1\r\n/);
  assert.equal(server.exchanges.length, 0);

  // The rest of the rejected request is discarded.
  isFull = false;
  connection.socket.write(`{"a":1}${HEAD}{"b":2}`);
  await connection.until(/"ok":true/);
  connection.socket.end();
  assert.deepEqual(asked, ["createResponse", "createResponse"]);
  assert.equal(Buffer.from(server.exchanges[0]?.body ?? []).toString(), '{"b":2}');
});
