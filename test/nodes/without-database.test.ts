// A service whose PostgreSQL is out of reach, at its start and later. See docs/nodes.md (Without the database)
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { after, before, test } from "node:test";
import { openCommandLine, readOutcome } from "../cli/command-line.ts";
import { patiently } from "../cli/patiently.ts";
import { readGreeting } from "../cli/service-process.ts";
import { startPostgresProxy } from "../store/postgres-proxy.ts";
import type { PostgresServer } from "../store/postgres-server.ts";
import { until } from "../support/until.ts";
import { databases } from "../store/postgres-databases.ts";

const line = openCommandLine();
/** Without the database nobody can tell whether a missing secret may be created. */
const SECRET = { TURNGATE_SECRET: "a root secret for the start without its database" };
const children: ChildProcess[] = [];
let server: PostgresServer;

before(async () => {
  server = await databases.server();
});

after(() => {
  for (const child of children) child.kill("SIGKILL");
  line.remove();
});

/** Starts the service, on a database that is out of reach; resolves when it waits. */
async function startWaiting(url: string) {
  const child = line.start(["serve"], { ...SECRET, DATABASE_URL: url, PORT: "0" });
  children.push(child);
  const ended = readOutcome(child);
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  let greeted = "";
  child.stderr?.on("data", (chunk: Buffer) => (greeted += chunk.toString()));
  await until("the service to wait", () => said.includes('"service.waiting"'));
  const port = /"port":(\d+)/.exec(said)?.[1];
  const managePort = /"manage_port":(\d+)/.exec(said)?.[1];
  return {
    child,
    ended,
    said: () => said,
    greeted: () => greeted,
    origin: `http://127.0.0.1:${port}`,
    manage: `http://127.0.0.1:${managePort}`,
  };
}

const statusOf = async (url: string) => (await fetch(url)).status;

test("a start without the database answers 503 and is not ready, and serves when the database is back", async (t) => {
  const proxy = await startPostgresProxy(t, server.url(await server.createDatabase()));
  // Packets are lost: the connection is made, and nothing answers.
  proxy.stall();
  const { secret } = await line.json<{ secret: string }>("keys", "mint");
  const { child, ended, said, greeted, origin, manage } = await startWaiting(proxy.url);
  const models = () => fetch(`${origin}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  const rejected = await models();
  const { error } = (await rejected.json()) as { error: { code: string } };
  assert.deepEqual(
    [rejected.status, error.code, rejected.headers.get("retry-after")],
    [503, "auth_unavailable", "1"],
    "a key that could be right",
  );
  for (const at of [origin, manage])
    assert.deepEqual([await statusOf(`${at}/healthz`), await statusOf(`${at}/readyz`)], [200, 503]);
  assert.doesNotMatch(greeted(), /Base URL|API key/);

  proxy.restore();
  await until("the start", () => said().includes('"service.started"') && /^Models: /m.test(greeted()));
  assert.equal(await statusOf(`${origin}/readyz`), 200);
  const key = readGreeting(greeted(), line.folder).firstKey ?? "";
  const create = () =>
    fetch(`${origin}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "simulated/echo", input: "Hi" }),
    });
  assert.equal((await patiently(create)).status, 200);

  proxy.refuse();
  await until("no longer ready", async () => (await statusOf(`${origin}/readyz`)) === 503);
  const lost = await create();
  assert.deepEqual([lost.status, lost.headers.get("retry-after")], [503, "1"]);
  proxy.restore();
  await until("ready again", async () => (await statusOf(`${origin}/readyz`)) === 200);
  assert.equal((await patiently(create)).status, 200);
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^warning: The database postgres:\/\/127\.0\.0\.1:\d+\/test_\d+ cannot be opened: [^\n]+ The service waits for it[^\n]+\n\nAPI key: [^]*\n\n$/,
  );
});

test("a service that waits for its database can be stopped", async (t) => {
  const proxy = await startPostgresProxy(t, server.url(await server.createDatabase()));
  proxy.refuse();
  const { child, ended } = await startWaiting(proxy.url);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});

test("a database that is there when the service waits, and cannot be used, ends it with one sentence", async (t) => {
  const name = await server.createDatabase();
  await server.query(name, "create schema turngate; create table turngate.orders (id integer)");
  const proxy = await startPostgresProxy(t, server.url(name));
  proxy.refuse();
  const { ended } = await startWaiting(proxy.url);
  proxy.restore();
  const { code, stderr } = await ended;
  assert.equal(code, 1);
  assert.match(stderr, /\nerror: [^\n]*schema turngate belongs to another application[^\n]*\n$/);
});

test("without a root secret there is no start without the database", async (t) => {
  const proxy = await startPostgresProxy(t, server.url(await server.createDatabase()));
  proxy.refuse();
  const { code, stdout, stderr } = await line.run(["serve"], { DATABASE_URL: proxy.url, PORT: "0" });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^error: The database [^\n]+ needs a root secret, and there is no data\/secret: set TURNGATE_SECRET\.\n$/,
  );
});

test("what no waiting mends ends the start: an invalid address, credentials, TLS, no such database", async () => {
  const name = await server.createDatabase();
  await server.query(name, "create role turngate_no_login nologin");
  const url = server.url(name);
  for (const [wrong, reason] of [
    ["postgres://127.0.0.1/d?sslmode=maybe", /sslmode must be/],
    [url.replace("postgres@", "turngate_no_login:geheim@"), /"turngate_no_login" is not permitted to log in \(28000\)/],
    [`${url}?sslmode=require`, /does not support SSL/],
    [server.url("nowhere"), /database "nowhere" does not exist/],
  ] as const) {
    const { code, stdout, stderr } = await line.run(["serve"], { ...SECRET, DATABASE_URL: wrong, PORT: "0" });
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, new RegExp(`^error: [^\\n]*${reason.source}[^\\n]*\\n$`));
    assert.doesNotMatch(stderr, /geheim/);
  }
});
