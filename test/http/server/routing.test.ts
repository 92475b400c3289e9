// Paths, methods, headers and queries as they reach the flows. docs/reliability.md, A-8
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { ApiError } from "../../../src/contract/errors.ts";
import { ROUTES } from "../../../src/contract/routes.ts";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

const server = await startServer({
  async rejectUnknownRoute(authorization) {
    const isGood = authorization.includes("Bearer good");
    throw isGood ? new ApiError("resource_not_found", "uniform") : new ApiError("invalid_api_key", "bad key");
  },
});
beforeEach(() => {
  server.exchanges.length = 0;
});
after(() => server[Symbol.asyncDispose]());

const send = async (method: string, target: string, headers: readonly string[] = [], body = "") =>
  parseReply(await server.sendRaw(requestText(method, target, headers, body)));

for (const route of ROUTES) {
  test(`${route.method} ${route.path} is ${route.operation}`, async () => {
    const target = `/v1${route.path}`.replace(/:(\w+)/g, "$1_given");
    assert.equal((await send(route.method, target)).status, 200);
    const [exchange] = server.exchanges;
    assert.equal(exchange?.operation, route.operation);
    for (const [name, value] of Object.entries(exchange?.params ?? {})) assert.equal(value, `${name}_given`);
    assert.equal(Object.keys(exchange?.params ?? {}).length, route.path.split(":").length - 1);
  });
}

const UNSERVED: readonly [method: string, target: string][] = [
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/responses/compact/x"],
  ["GET", "/v1/responses/resp_1/input_items"],
  ["GET", "/v1"],
  ["GET", "/v1/"],
  ["GET", "/v1?x=1"],
  ["GET", "/v1/models/"],
  ["POST", "/v1/responses/"],
  ["GET", "/v1/responses/"],
  ["POST", "/v1/responses//cancel"],
  ["POST", "/v1/conversations/"],
  ["GET", "/v1/Models"],
  ["HEAD", "/v1/models"],
  ["PUT", "/v1/models"],
  ["PATCH", "/v1/responses/resp_1"],
  ["OPTIONS", "/v1/responses"],
  ["TRACE", "/v1/responses"],
  ["PROPFIND", "/v1/responses"],
  ["QUERY", "/v1/responses"],
  ["GET", "/v1/responses"],
  ["GET", "/v1/%c3%28/x"],
  ["GET", "http://gateway.example/v1/modelz"],
  ["GET", "/%76%31/modelz"],
];

for (const [method, target] of UNSERVED) {
  test(`${method} ${target} has no route: 401 with a bad key, else the uniform 404`, async () => {
    const bad = await send(method, target, ["Authorization: Bearer bad", "Content-Type: application/json"]);
    assert.equal(bad.status, 401);
    const good = await send(method, target, ["Authorization: Bearer good"]);
    assert.equal(good.status, 404);
    assert.ok(good.headers.has("x-request-id"));
    if (method !== "HEAD") assert.equal(JSON.parse(good.body).error.code, "resource_not_found");
    assert.equal(server.exchanges.length, 0);
  });
}

for (const target of ["/v2/models", "/v11", "/favicon.ico", "/docs/nothing", "/%zz", "/../etc/passwd"]) {
  test(`${target} is outside /v1: 404 in the envelope, without authentication`, async () => {
    const reply = await send("GET", target);
    assert.equal(reply.status, 404);
    assert.deepEqual(JSON.parse(reply.body), {
      error: {
        message: "The requested resource was not found.",
        type: "not_found_error",
        param: null,
        code: "resource_not_found",
      },
    });
  });
}

test("path ids are decoded and may have any length", async () => {
  await send("GET", "/v1/responses/resp%5F1%2F2%20%C3%A9");
  assert.equal(server.exchanges[0]?.params["response_id"], "resp_1/2 é");
  const long = `resp_${"x".repeat(10_000)}`;
  await send("GET", `/v1/responses/${long}`);
  assert.equal(server.exchanges[1]?.params["response_id"], long);
});

test("an id with invalid percent-encoding is taken literally", async () => {
  const broken = ["%", "%zz", "resp_%ff", "%c3%28"];
  for (const id of broken) await send("GET", `/v1/responses/${id}?include=%zz`);
  assert.deepEqual(
    server.exchanges.map(({ params }) => params["response_id"]),
    broken,
  );
});

test("a target in absolute form is served", async () => {
  assert.equal((await send("GET", "http://gateway.example/v1/models")).status, 200);
});

test("every form of include is include; other parameters keep their names", async () => {
  await send(
    "GET",
    "/v1/responses/r?include=a&include[]=b&include%5B0%5D=c&include[1]=d&limit=2&limit=3&x=%zz&empty=&flag",
  );
  assert.deepEqual(
    [...(server.exchanges[0]?.query ?? [])],
    [
      ["include", ["a", "b", "c", "d"]],
      ["limit", ["2", "3"]],
      ["x", ["%zz"]],
      ["empty", [""]],
      ["flag", [""]],
    ],
  );
});

test("a query named like a property of objects is a parameter like any other", async () => {
  await send("GET", "/v1/responses/r?__proto__=1&constructor=2&include[x]=3&include[][]=4");
  assert.deepEqual(
    [...(server.exchanges[0]?.query.keys() ?? [])],
    ["__proto__", "constructor", "include[x]", "include[][]"],
  );
});

test("every Authorization and Idempotency-Key header is passed on", async () => {
  await send("POST", "/v1/conversations", [
    "Authorization: Bearer one",
    "authorization: Bearer two",
    "Idempotency-Key: a",
    "IDEMPOTENCY-KEY: b",
    "Idempotency-Key:",
  ]);
  assert.deepEqual(server.exchanges[0]?.authorization, ["Bearer one", "Bearer two"]);
  assert.deepEqual(server.exchanges[0]?.idempotencyKeys, ["a", "b", ""]);
});

test("pipelined requests are answered in order", async () => {
  const connection = await server.open();
  const one = (id: string, more: string) => `GET /v1/responses/${id} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  connection.socket.write(one("a", "") + one("b", "") + one("c", "Connection: close\r\n"));
  const text = await connection.ended();
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  assert.deepEqual(
    server.exchanges.map(({ params }) => params["response_id"]),
    ["a", "b", "c"],
  );
  assert.equal(new Set(text.match(/x-request-id: \S+/g)).size, 3);
});

test("a connection with more unanswered requests than any client sends is cut, and the rest of them is not served", async () => {
  const connection = await server.open();
  connection.socket.on("error", () => {});
  connection.socket.write("GET /v1/responses/a HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000));
  assert.equal(await connection.ended(), "");
  assert.equal(server.exchanges.length, 32);
});
