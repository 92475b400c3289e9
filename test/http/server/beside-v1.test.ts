// The paths beside /v1: probes and the reference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

test("/healthz says that the process runs", async () => {
  await using server = await startServer();
  const reply = parseReply(await server.sendRaw(requestText("GET", "/healthz")));
  assert.equal(reply.status, 200);
  assert.equal(reply.body, '{"status":"ok"}');
  assert.ok(reply.headers.has("x-request-id"));
  assert.equal(parseReply(await server.sendRaw(requestText("HEAD", "/healthz"))).status, 200);
});

for (const { name, isReady, status } of [
  { name: "wants work", isReady: async () => true, status: 200 },
  { name: "does not want work", isReady: async () => false, status: 503 },
  { name: "cannot reach its store", isReady: async () => Promise.reject(new Error("no store")), status: 503 },
]) {
  test(`/readyz is ${status} when the service ${name}`, async () => {
    await using server = await startServer({ isReady });
    const reply = parseReply(await server.sendRaw(requestText("GET", "/readyz")));
    assert.equal(reply.status, status);
    assert.deepEqual(JSON.parse(reply.body), { status: status === 200 ? "ready" : "not_ready" });
  });
}

test("/openapi.json is the document", async () => {
  await using server = await startServer();
  const reply = parseReply(await server.sendRaw(requestText("GET", "/openapi.json")));
  assert.equal(reply.status, 200);
  assert.deepEqual(JSON.parse(reply.body), { openapi: "3.1.0" });
});

test("/docs loads everything from this server", async () => {
  await using server = await startServer();
  const page = parseReply(await server.sendRaw(requestText("GET", "/docs")));
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  assert.equal(parts.length, 6);
  for (const path of parts) {
    assert.doesNotMatch(path ?? "", /^(?:https?:)?\/\//);
    const part = parseReply(await server.sendRaw(requestText("GET", `/${String(path)}`)));
    assert.equal(part.status, 200);
    assert.match(
      part.headers.get("content-type") ?? "",
      /^(?:text\/(?:javascript|css); charset=utf-8|image\/svg\+xml)$/,
    );
    assert.ok(part.body.length > 100);
  }
  assert.equal(server.exchanges.length + server.unrouted.length, 0);
});
