// Bodies: read whatever their Content-Type says, as bytes; bounded; ignored where the route reads none.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { after, beforeEach, test } from "node:test";
import { loopTurns } from "../../support/event-loop.ts";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

const BODY_BYTES_MAX = 1000;

const server = await startServer({ limits: { body_bytes: BODY_BYTES_MAX } });
beforeEach(() => {
  server.exchanges.length = 0;
});
after(() => server[Symbol.asyncDispose]());

async function post(
  body: string | Uint8Array,
  headers: readonly string[] = [],
  target = "/v1/responses",
  method = "POST",
) {
  const bytes = Buffer.from(body);
  const head = requestText(method, target, [`Content-Length: ${bytes.length}`, ...headers]);
  return parseReply(await server.sendRaw(Buffer.concat([Buffer.from(head), bytes])));
}

const receivedText = () => Buffer.from(server.exchanges[0]?.body ?? []).toString("latin1");

for (const contentType of [
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "not a type",
  ";;;",
  "",
]) {
  test(`a body of type "${contentType}" is read`, async () => {
    assert.equal((await post('{"a":1}', [`Content-Type: ${contentType}`])).status, 200);
    assert.equal(receivedText(), '{"a":1}');
  });
}

test("a body without a type is read", async () => {
  assert.equal((await post('{"a":1}')).status, 200);
  assert.equal(receivedText(), '{"a":1}');
});

test("an empty body reaches the flow", async () => {
  assert.equal((await post("", ["Content-Type: application/json"])).status, 200);
  assert.equal(server.exchanges[0]?.body.length, 0);
  server.exchanges.length = 0;
  assert.equal(parseReply(await server.sendRaw(requestText("POST", "/v1/conversations"))).status, 200);
  assert.equal(server.exchanges[0]?.body.length, 0);
});

test("bytes that are not UTF-8 reach the flow unchanged", async () => {
  await post(Uint8Array.of(0x7b, 0xff, 0xfe, 0x00, 0x7d));
  assert.deepEqual([...(server.exchanges[0]?.body ?? [])], [0x7b, 0xff, 0xfe, 0x00, 0x7d]);
});

test("a chunked body is assembled", async () => {
  const head = requestText("POST", "/v1/responses", ["Transfer-Encoding: chunked"]);
  const reply = parseReply(await server.sendRaw(`${head}3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`));
  assert.equal(reply.status, 200);
  assert.equal(receivedText(), '{"a":1}');
});

test("a body at the limit is read, one byte more is 413", async () => {
  assert.equal((await post("x".repeat(BODY_BYTES_MAX))).status, 200);
  assert.equal((await post("x".repeat(BODY_BYTES_MAX + 1))).status, 413);
});

test("a client that is still sending gets the 413 envelope too", async () => {
  const reply = await post("x".repeat(5_000_000));
  assert.equal(reply.status, 413);
  const { error } = JSON.parse(reply.body) as { error: Record<string, unknown> };
  assert.equal(error["code"], "invalid_input");
  assert.equal(error["type"], "invalid_request_error");
  assert.match(String(error["message"]), /1000 bytes/);
});

test("a chunked body over the limit is 413, whether or not it ends", async () => {
  const chunk = `${(500).toString(16)}\r\n${"x".repeat(500)}\r\n`;
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses", ["Transfer-Encoding: chunked"]));
  connection.socket.write(chunk + chunk + chunk);
  const text = await connection.until(/\}\}$/);
  assert.equal(parseReply(text).status, 413);
  assert.equal(server.exchanges.length, 0);
  connection.socket.destroy();
});

test("the connection serves the next request after a 413", async () => {
  const connection = await server.open();
  const large = "x".repeat(2000);
  connection.socket.write(`POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: ${large.length}\r\n\r\n${large}`);
  await connection.until(/413/);
  connection.socket.write(requestText("GET", "/v1/models"));
  assert.match(await connection.ended(), /HTTP\/1\.1 413[\s\S]*HTTP\/1\.1 200 OK/);
});

test("a client that is still sending sees the response even if the connection closes with it", async () => {
  const large = Buffer.alloc(20_000_000, "x");
  for (let round = 0; round < 5; round++) {
    const headers = { connection: "close", "content-length": large.length };
    const sent = request({ port: server.port, path: "/v1/responses", method: "POST", headers, agent: false });
    sent.end(large);
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(reply.statusCode, 413);
    assert.match(await textOf(reply), /"code":"invalid_input"/);
  }
});

test("an encoded body is rejected; identity is no encoding", async () => {
  for (const coding of ["gzip", "br", "GZIP", "identity, gzip"]) {
    const reply = await post("{}", [`Content-Encoding: ${coding}`]);
    assert.equal(reply.status, 400);
    assert.equal(JSON.parse(reply.body).error.code, "invalid_input");
  }
  assert.equal((await post("{}", ["Content-Encoding: identity"])).status, 200);
});

for (const [method, target] of [
  ["POST", "/v1/responses/resp_1/cancel"],
  ["DELETE", "/v1/responses/resp_1"],
  ["GET", "/v1/models"],
] as const) {
  test(`a body sent to ${method} ${target} is ignored, whatever it is`, async () => {
    const junk = "x".repeat(BODY_BYTES_MAX * 3);
    const reply = await post(junk, ["Content-Type: not a type", "Content-Encoding: gzip"], target, method);
    assert.equal(reply.status, 200);
    assert.equal(server.exchanges[0]?.body.length, 0);
  });
}

test("a client that disconnects in the middle of its body leaves nothing behind", async () => {
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses", ["Content-Length: 10"], "{"));
  await loopTurns();
  connection.socket.resetAndDestroy();
  await loopTurns();
  assert.equal(server.exchanges.length, 0);
  assert.equal(server.logged.length, 0);
});
