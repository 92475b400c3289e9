// Responses and `doctor` connect to providers, and commands to a running service, alike: through the environment's
// proxy, trusting the operator's authority.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startProxy } from "../support/proxy.ts";
import { openCommandLine } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { startService } from "./service-process.ts";

const certificate = (name: string) => fileURLToPath(new URL(`../support/certificates/${name}`, import.meta.url));

/** A server of chat completions and of a management interface, and the requests it received. */
const headersSeen: IncomingMessage["headers"][] = [];
function answer({ method, headers }: IncomingMessage, response: ServerResponse): void {
  headersSeen.push(headers);
  if (method === "GET") {
    response.end('{"data":[],"organization":{"id":"org_1","name":"acme"}}');
    return;
  }
  response.setHeader("content-type", "text/event-stream");
  const choice = { index: 0, delta: { content: "Through!" }, finish_reason: "stop" };
  response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
}
const secure = createSecureServer(
  { key: readFileSync(certificate("server.key")), cert: readFileSync(certificate("server.pem")) },
  answer,
);
const plain = createPlainServer(answer);
for (const server of [secure, plain]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const portOf = (server: typeof plain | typeof secure) => (server.address() as AddressInfo).port;
const proxy = await startProxy();
const line = openCommandLine();
after(async () => {
  for (const server of [secure, plain]) {
    server.closeAllConnections();
    server.close();
  }
  await proxy.close();
  line.remove();
});
const seenFrom = { proxy: 0, server: 0 };
beforeEach(() => Object.assign(seenFrom, { proxy: proxy.seen.length, server: headersSeen.length }));

const configure = (more = "") =>
  writeFileSync(
    join(line.folder, "turngate.yaml"),
    `providers:
  secure:
    type: openai-compatible
    base_url: https://localhost:${portOf(secure)}/v1
    api_keys: [CANARY-key-1, CANARY-key-2]
    headers: { X-Team: CANARY-team }
  plain: { type: openai-compatible, base_url: 'http://localhost:${portOf(plain)}/v1', api_key: CANARY-key-3 }
models: [{ id: secure/model }, { id: plain/model }]
${more}`,
  );
const address = `http://ada:CANARY-password@127.0.0.1:${proxy.port}`;
const PROXIED = { HTTPS_PROXY: address, http_proxy: address };
const trusting = `outgoing: { ca_file: ${certificate("ca.pem")} }\n`;
const AUTHORIZATION = `Basic ${Buffer.from("ada:CANARY-password").toString("base64")}`;

async function examine(variables: Readonly<Record<string, string>>) {
  // Node reads the authorities that it trusts at its start.
  const { stdout, stderr } = await line.runProcess(["doctor", "--json"], variables);
  assert.doesNotMatch(stdout + stderr, /CANARY/);
  const all: readonly { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout);
  return new Map(all.map(({ check, ok, detail }) => [check, { ok, detail }]));
}

test("doctor uses the proxy, with each key, and never shows a secret", async () => {
  configure(trusting);
  const found = await examine(PROXIED);
  for (const name of ["secure, key 1", "secure, key 2", "plain"]) {
    const { ok, detail } = found.get(`provider ${name}`) ?? assert.fail(name);
    assert.ok(ok, detail);
    assert.match(
      detail,
      new RegExp(`, through the proxy http://127\\.0\\.0\\.1:${proxy.port}, replies \\(200\\), the key`),
    );
  }
  const lines = proxy.seen.slice(seenFrom.proxy).map((seen) => seen.line);
  assert.deepEqual(lines.toSorted(), [
    `CONNECT localhost:${portOf(secure)}`,
    `CONNECT localhost:${portOf(secure)}`,
    `GET http://localhost:${portOf(plain)}/v1/models`,
  ]);
  assert.ok(proxy.seen.every(({ authorization }) => authorization === AUTHORIZATION));
});

test("NO_PROXY bypasses the proxy, in lower case too; an untrusted authority is reported", async () => {
  configure();
  for (const variables of [
    { ...PROXIED, NO_PROXY: "localhost" },
    { ...PROXIED, no_proxy: "*" },
  ]) {
    const found = await examine(variables);
    assert.match(found.get("provider plain")?.detail ?? "", /^http:\/\/localhost:\d+ replies \(200\)/);
    assert.match(found.get("provider secure, key 1")?.detail ?? "", /can't be reached \(.*certificate/);
  }
  assert.equal(proxy.seen.length, seenFrom.proxy);
  const trusted = await examine({ NODE_EXTRA_CA_CERTS: certificate("ca.pem") });
  assert.equal(trusted.get("provider secure, key 1")?.ok, true);
});

test("a proxy that rejects the tunnel is reported", async () => {
  configure(trusting);
  const refusing = await startProxy(407);
  try {
    const found = await examine({ HTTPS_PROXY: `127.0.0.1:${refusing.port}` });
    const { ok, detail } = found.get("provider secure, key 1") ?? assert.fail();
    assert.ok(!ok);
    assert.match(detail, /through the proxy http:\/\/127\.0\.0\.1:\d+, can't be reached \(.*407/);
  } finally {
    await refusing.close();
  }
});

/** Histories enough that both of two keys have one. */
const SPREAD_TURNS = 24;

test("turns use the proxy, histories are spread over the keys, and no secret is logged", async () => {
  configure(trusting);
  const { child, ended, baseUrl, firstKey, said } = await startService(line, { ...PROXIED, LOG_LEVEL: "debug" });
  for (const model of [...Array<string>(SPREAD_TURNS).fill("secure/model"), "plain/model"]) {
    const response = await patiently(() =>
      fetch(`${baseUrl}/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${firstKey}` },
        body: JSON.stringify({ model, input: "Hi" }),
      }),
    );
    const { output } = (await response.json()) as { output: { content: { text: string }[] }[] };
    assert.equal(output[0]?.content[0]?.text, "Through!");
  }
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0);
  assert.doesNotMatch(said() + stderr, /CANARY/);
  const lines = new Set(proxy.seen.slice(seenFrom.proxy).map((seen) => seen.line));
  assert.deepEqual(
    lines,
    new Set([`CONNECT localhost:${portOf(secure)}`, `POST http://localhost:${portOf(plain)}/v1/chat/completions`]),
  );
  const sent = headersSeen.slice(seenFrom.server);
  const keys = sent.map(({ authorization }) => authorization);
  assert.equal(keys.pop(), "Bearer CANARY-key-3");
  assert.equal(keys.length, SPREAD_TURNS);
  assert.deepEqual(new Set(keys), new Set(["Bearer CANARY-key-1", "Bearer CANARY-key-2"]));
  assert.equal(sent[0]?.["x-team"], "CANARY-team");
  assert.ok(sent.every((headers) => headers["proxy-authorization"] === undefined));
});

test("a command reaches a running service through the proxy, trusting the authority", async () => {
  const words = [
    "budgets",
    "list",
    "--org",
    "acme",
    "--url",
    `https://localhost:${portOf(secure)}`,
    "--token",
    "adm_1",
  ];
  configure(trusting);
  const { code, stdout, stderr } = await line.runProcess([...words, "--json"], PROXIED);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(JSON.parse(stdout).data, []);
  const lines = new Set(proxy.seen.slice(seenFrom.proxy).map((seen) => seen.line));
  assert.deepEqual(lines, new Set([`CONNECT localhost:${portOf(secure)}`]));
  configure();
  const untrusting = await line.runProcess(words);
  assert.deepEqual([untrusting.code, untrusting.stdout], [1, ""]);
  assert.match(untrusting.stderr, /^error: https:\/\/localhost:\d+ can't be reached \(.*certificate.*\)\.\n$/);
  assert.equal((await line.runProcess(words, { NODE_EXTRA_CA_CERTS: certificate("ca.pem") })).code, 0);
});
