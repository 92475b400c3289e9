// What the management server serves beside its operations, and how it rejects what it does not serve: both interfaces
// stand on one router, so test/http/server/routing.test.ts has the rest.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { managedForFile } from "./managed-service.ts";

const managed = await managedForFile();
const { port } = new URL(managed.baseUrl);
const authorization = "token" in managed.operator ? `Bearer ${managed.operator.token}` : "";

/** Sends a target as it is. */
async function send(method: string, path: string, headers: Readonly<Record<string, string>> = { authorization }) {
  const sent = request({ port, method, path, headers, agent: false }).end();
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
}

const SERVED: readonly [method: string, target: string][] = [
  ["GET", "/manage/api/session"],
  ["GET", "/manage/api/session?"],
  ["GET", "/manage/%61pi/session"],
  ["GET", "http://service.example/manage/api/session"],
  ["GET", "/healthz"],
  ["HEAD", "/healthz"],
  ["HEAD", "/readyz"],
  ["GET", "/metrics"],
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
];

for (const [method, target] of SERVED) {
  test(`${method} ${target} is served`, async () => {
    assert.equal((await send(method, target)).status, 200);
  });
}

const UNSERVED: readonly [method: string, target: string][] = [
  ["GET", "/manage/api/session/"],
  ["GET", "/manage/api//session"],
  ["GET", "//manage/api/session"],
  ["GET", "/manage/api/Session"],
  ["GET", "/manage/api%2Fsession"],
  ["GET", "/manage/api/session%00"],
  ["GET", "/manage/api/nothing"],
  ["GET", "/manage/api/organizations/%zz"],
  ["GET", `/manage/api/organizations/${"x".repeat(10_000)}`],
  ["GET", "/manage/api"],
  ["GET", "/manage"],
  ["HEAD", "/manage/api/session"],
  ["OPTIONS", "/manage/api/session"],
  ["PUT", "/manage/api/session"],
  ["QUERY", "/manage/api/organizations"],
  ["POST", "/healthz"],
  ["DELETE", "/metrics"],
  ["POST", "/"],
  ["GET", "/assets/"],
  ["GET", "/docs/"],
  ["GET", "/%zz"],
];

for (const [method, target] of UNSERVED) {
  test(`${method} ${target.slice(0, 50)} is the uniform 404, and tells no browser that it may ask`, async () => {
    const { status, headers, body } = await send(method, target, { authorization, origin: "http://other.example" });
    assert.equal(status, 404);
    assert.ok("x-request-id" in headers);
    assert.deepEqual(
      Object.keys(headers).filter((name) => /^(?:allow|access-control-.*|www-authenticate)$/.test(name)),
      [],
    );
    if (method !== "HEAD") assert.equal(JSON.parse(body).error.code, "resource_not_found");
  });
}

test("a 401 has no challenge, which a browser would answer with a dialog of its own", async () => {
  const { status, headers } = await send("GET", "/manage/api/session", {});
  assert.equal(status, 401);
  assert.equal(headers["www-authenticate"], undefined);
});
