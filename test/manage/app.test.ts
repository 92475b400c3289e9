// The management server serves the app from memory, compressed, under a strict policy; and /v1 beside it.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { Agent, request as ask } from "undici";
import { folderOnDisk } from "../../src/installation/folder.ts";
import { request } from "../support/http-client.ts";
import { says } from "../support/scripted-provider.ts";
import { ManagedService } from "./managed-service.ts";

const PAGE = "<!doctype html><title>the app</title>";
const SCRIPT = "console.log('the app');";

const parent = await mkdtemp(join(tmpdir(), "turngate-app-"));
const appFolder = join(parent, "dist");
let managed: ManagedService;
before(async () => {
  managed = await ManagedService.start({ appFolder: folderOnDisk(appFolder) });
});
after(async () => {
  await managed.close();
  await rm(parent, { recursive: true, force: true });
});

async function write(path: string, content: string): Promise<void> {
  await writeFile(join(appFolder, path), content);
  await writeFile(join(appFolder, `${path}.br`), brotliCompressSync(content));
  await writeFile(join(appFolder, `${path}.gz`), gzipSync(content));
}

function get(path: string, headers: Record<string, string> = {}) {
  return request(managed.baseUrl, "GET", path, { headers });
}

/** The bytes of a response, which the plain client would read as text. */
async function getBytes(path: string, coding: string): Promise<{ headers: Headers; bytes: Buffer }> {
  const agent = new Agent();
  const { headers, body } = await ask(new URL(path, managed.baseUrl), {
    dispatcher: agent,
    headers: { "accept-encoding": coding },
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  await agent.close();
  return { headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])), bytes };
}

test("without a build the page names the one command that is missing, and the service serves on", async () => {
  const { status, text: page, headers } = await get("/");
  assert.deepEqual([status, headers["cache-control"]], [503, "no-store"]);
  assert.match(page, /npm run build/);
  assert.equal((await get("/healthz")).status, 200);
});

test("a build is served without a restart: the page by itself, files under their hashed names for good", async () => {
  await mkdir(join(appFolder, "assets"), { recursive: true });
  await write("index.html", PAGE);
  await write("assets/index-Abc123.js", SCRIPT);
  await writeFile(join(appFolder, "secret.txt"), "nothing of the app");
  const page = await get("/");
  assert.deepEqual([page.status, page.text, page.headers["cache-control"]], [200, PAGE, "no-cache"]);
  const script = await get("/assets/index-Abc123.js");
  assert.deepEqual([script.status, script.text], [200, SCRIPT]);
  assert.equal(script.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(script.headers["content-type"], "text/javascript; charset=utf-8");
});

test("each file is sent in the best coding that the client accepts", async () => {
  for (const [accepted, coding, decode] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["br;q=0, gzip", "gzip", gunzipSync],
    ["identity", null, (bytes: Buffer) => bytes],
  ] as const) {
    const { headers, bytes } = await getBytes("/assets/index-Abc123.js", accepted);
    assert.equal(headers.get("content-encoding"), coding, accepted);
    assert.equal(headers.get("vary"), "accept-encoding");
    assert.equal(decode(bytes).toString(), SCRIPT);
  }
});

test("the page allows its own origin only, no inline code, and no frame around it", async () => {
  for (const path of ["/", "/assets/index-Abc123.js", "/sign-in"]) {
    const { headers } = await get(path, { accept: "text/html" });
    const policy = headers["content-security-policy"] ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "frame-ancestors 'none'",
    ]) {
      assert.ok(policy.split("; ").includes(rule), `${path}: ${rule}`);
    }
    assert.doesNotMatch(policy, /unsafe|http|\*|data:/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
  }
});

test("the URL of a screen is the page for a browser, and a 404 for a program", async () => {
  const browser = { accept: "text/html,application/xhtml+xml" };
  assert.equal((await get("/organizations/org_1/keys", browser)).text, PAGE);
  const { status, json } = await get("/organizations/org_1/keys");
  assert.deepEqual([status, json.error.code], [404, "resource_not_found"]);
  assert.equal((await request(managed.baseUrl, "POST", "/organizations/org_1/keys", { headers: browser })).status, 404);
  assert.equal((await get("/manage/api/nowhere", browser)).status, 404);
});

test("a path leads to no file but those of the app", async () => {
  for (const name of [
    "nothing.js",
    "..%2Fsecret.txt",
    "..%2Findex.html",
    "%2e%2e%2fsecret.txt",
    "index-Abc123.js.br",
  ]) {
    const { status, text: body } = await get(`/assets/${name}`);
    assert.equal(status, 404, name);
    assert.doesNotMatch(body, /nothing of the app|doctype/);
  }
});

test("/v1 works on this server as on its own: with the key, never with the cookie", async () => {
  const { service } = managed;
  service.provider.plays(says("Hello"));
  const body = { model: "test/all", input: "Hi" };
  const created = await request(managed.baseUrl, "POST", "/v1/responses", { key: service.key, body });
  assert.equal(created.status, 200, created.text);
  const retrieved = await service.request("GET", `/v1/responses/${created.json.id}`);
  assert.deepEqual(retrieved.json, created.json);
  // A browser keeps no content on its disk.
  for (const { headers } of [created, retrieved]) {
    assert.deepEqual([headers["cache-control"], headers["x-content-type-options"]], ["no-store", "nosniff"]);
  }

  const person = await managed.newPerson(service.organizationId, "owner");
  const headers = "cookie" in person ? { cookie: person.cookie, "x-csrf-token": person.csrf } : {};
  const rejected = await request(managed.baseUrl, "POST", "/v1/responses", { body, headers });
  assert.deepEqual([rejected.status, rejected.json.error.code], [401, "invalid_api_key"]);
  const unknown = await request(managed.baseUrl, "GET", "/v1/nowhere", { headers: { accept: "text/html" } });
  assert.deepEqual([unknown.status, unknown.json.error.code], [401, "invalid_api_key"]);
});
