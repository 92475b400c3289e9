// Errors that no flow sees: raised by the HTTP parser or before it is asked (docs/wire.md, Objects).
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../../support/until.ts";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

const server = await startServer();
after(() => server[Symbol.asyncDispose]());

const bodyWith = (count: number) => "x".repeat(count);

const ROWS: readonly { name: string; bytes: string; status: number }[] = [
  { name: "a bad request line", bytes: "NONSENSE\r\n\r\n", status: 400 },
  { name: "an unknown method", bytes: "BREW /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", status: 400 },
  { name: "a missing Host", bytes: "GET /v1/models HTTP/1.1\r\n\r\n", status: 400 },
  { name: "two Hosts", bytes: "GET /v1/models HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", status: 400 },
  { name: "a header without a name", bytes: "GET /v1/models HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n", status: 400 },
  {
    name: "Content-Length beside Transfer-Encoding",
    bytes: "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    status: 400,
  },
  {
    name: "a chunk without a size",
    bytes: "POST /v1/responses HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    status: 400,
  },
  {
    name: "headers that are too large",
    bytes: `GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Large: ${bodyWith(20_000)}\r\n\r\n`,
    status: 431,
  },
  {
    name: "headers that are far too large",
    bytes: `GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Large: ${bodyWith(2_000_000)}\r\n\r\n`,
    status: 431,
  },
  { name: "a target that is too long", bytes: `GET /v1/${bodyWith(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, status: 431 },
  {
    name: "an Expect other than 100-continue",
    bytes: "POST /v1/responses HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 0\r\n\r\n",
    status: 417,
  },
  { name: "CONNECT", bytes: "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", status: 400 },
];

for (const { name, bytes, status } of ROWS) {
  test(`${name} gets a ${status} in the envelope, and the connection ends`, async () => {
    const reply = parseReply(await server.sendRaw(bytes));
    assert.equal(reply.status, status);
    assert.equal(reply.headers.get("connection"), "close");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.match(reply.headers.get("x-request-id") ?? "", /^req_\d+$/);
    const { error } = JSON.parse(reply.body) as { error: Record<string, unknown> };
    assert.deepEqual(Object.keys(error).toSorted(), ["code", "message", "param", "type"]);
    assert.equal(error["code"], "invalid_input");
    assert.equal(error["type"], "invalid_request_error");
    assert.equal(error["param"], null);
    assert.equal(reply.headers.get("content-length"), String(Buffer.byteLength(reply.body)));
    assert.equal(server.exchanges.length, 0);
  });
}

test("a client that disconnects after CONNECT does not end the process", async () => {
  const connection = await server.open();
  connection.socket.write("CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
  connection.socket.resetAndDestroy();
  assert.equal(parseReply(await server.sendRaw(requestText("GET", "/healthz"))).status, 200);
});

test("an upgrade request is served as a plain request", async () => {
  for (const upgrade of ["h2c", "websocket"]) {
    const headers = ["Connection: close, Upgrade, HTTP2-Settings", `Upgrade: ${upgrade}`, "HTTP2-Settings: AAMAAABk"];
    const text = ["GET /v1/models HTTP/1.1", "Host: x", ...headers, "", ""].join("\r\n");
    assert.equal(parseReply(await server.sendRaw(text)).status, 200);
  }
});

test("HTTP/1.0 needs no Host header", async () => {
  assert.equal(parseReply(await server.sendRaw("GET /v1/models HTTP/1.0\r\n\r\n")).status, 200);
});

test("an invalid Host is a 400 on every path, probes and pages included", async () => {
  for (const path of ["/v1/models", "/healthz", "/openapi.json", "/nowhere"]) {
    for (const host of ["", "a b", "user@evil.test", "[::1", "evil.test:99999"]) {
      const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { status, body, headers } = parseReply(await server.sendRaw(text));
      assert.deepEqual([status, headers.get("connection")], [400, "close"], text);
      assert.match(body, /"message":"The Host header.*"code":"invalid_input"/);
    }
  }
});

test("100-continue is supported", async () => {
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses", ["Expect: 100-continue", "Content-Length: 2"]));
  await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
  connection.socket.write("{}");
  assert.match(await connection.ended(), /HTTP\/1\.1 200 OK/);
});

test("a request followed by garbage gets its response, then the connection ends", async () => {
  const slow = Promise.withResolvers<void>();
  await using own = await startServer({
    serve: async () => {
      await slow.promise;
      return { kind: "json", body: {} };
    },
  });
  const connection = await own.open();
  const good = "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n";
  connection.socket.write(`${good}${good}GARBAGE\r\n\r\n`);
  await until("both requests", () => own.exchanges.length === 2);
  slow.resolve();
  // A 400 here would make the client believe that its valid request was rejected, although it may have created
  // something.
  const statuses = [...(await connection.ended()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ["200", "200"]);
});

test("a body longer than its Content-Length still gets its response", async () => {
  const connection = await server.open();
  connection.socket.write(requestText("POST", "/v1/responses", ["Content-Length: 2"], "{} "));
  const reply = parseReply(await connection.ended());
  assert.deepEqual([reply.status, reply.headers.get("connection")], [200, "close"]);
});
