// Real processes on one PostgreSQL, started, used and stopped as an operator does. See docs/nodes.md
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { databases } from "../store/postgres-databases.ts";

const NEWEST = listMigrations().at(-1)?.version;
const line = openCommandLine();
let variables: Record<string, string> = {};
let key = "";
const processes: ServiceProcess[] = [];

async function start(): Promise<ServiceProcess> {
  const node = await startService(line, variables);
  processes.push(node);
  return node;
}

async function ask(process: ServiceProcess, method: string, path: string, body?: object) {
  const answer = await fetch(`${process.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

async function run<T>(...words: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await line.run([...words, "--json"], variables);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

before(async () => {
  const server = await databases.server();
  variables = { DATABASE_URL: server.url(await server.createDatabase()) };
  const first = await start();
  key = first.firstKey ?? "";
  await start();
});

after(async () => {
  for (const { child } of processes) child.kill("SIGKILL");
  await Promise.all(processes.map(({ ended }) => ended));
  line.remove();
});

test("a second process on the same database serves the key of the first and everything that the first has stored", async () => {
  const [a, b] = processes;
  assert.ok(a !== undefined && b !== undefined && key !== "");
  assert.doesNotMatch(b.greeted(), /API key:/, "the first organization is made once");
  const made = await ask(a, "POST", "/responses", { model: "simulated/echo", input: "Hello" });
  assert.equal(made.status, 200, JSON.stringify(made.json));
  assert.deepEqual(await ask(b, "GET", `/responses/${String(made.json["id"])}`), made);
});

test("commands work on the database: migrate, doctor, nodes, keys, books, audit log", async () => {
  assert.equal((await run<{ schema_version: number }>("migrate")).schema_version, NEWEST);
  const findings = await run<{ check: string; ok: boolean; detail: string }[]>("doctor");
  const detailOf = (check: string) => findings.find((finding) => finding.check === check)?.detail ?? "";
  assert.match(
    detailOf("store"),
    /^postgres:\/\/127\.0\.0\.1:\d+\/test_\d+: PostgreSQL 1\d\.\d+, writable; no synchronous/,
  );
  assert.equal(detailOf("schema"), `version ${NEWEST}`);
  const { data: nodes } = await run<{ data: { state: string; running_turns: number }[] }>("nodes", "list");
  assert.deepEqual(
    nodes.map(({ state, running_turns: turns }) => [state, turns]),
    [
      ["serving", 0],
      ["serving", 0],
    ],
  );
  const { id, secret } = await run<{ id: string; secret: string }>(
    "keys",
    "create",
    "--org",
    "default",
    "--name",
    "two",
  );
  const [a, b] = processes;
  const models = async ({ baseUrl }: ServiceProcess) =>
    (await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.deepEqual([await models(a!), await models(b!)], [200, 200]);
  await run("keys", "revoke", id);
  assert.deepEqual([await models(a!), await models(b!)], [401, 401], "revoked everywhere when the call has returned");
  assert.equal((await run<{ differences_found: number }>("ledger", "check")).differences_found ?? 0, 0);
  await run("audit", "verify");
});

test("a node that is stopped leaves, and the other continues to serve", async () => {
  const [a, b] = processes;
  assert.ok(a !== undefined && b !== undefined);
  a.child.kill("SIGTERM");
  assert.equal((await a.ended).code, 0);
  const { data: nodes } = await run<{ data: { state: string }[] }>("nodes", "list");
  assert.deepEqual(
    nodes.map(({ state }) => state),
    ["gone", "serving"],
  );
  assert.equal((await ask(b, "GET", "/models")).status, 200);
});

test("a database that cannot be used is an error in one line, without its password", async () => {
  const server = await databases.server();
  const foreign = await server.createDatabase();
  await server.query(foreign, "create schema turngate; create table turngate.orders (id integer)");
  for (const [url, reason] of [
    ["postgres://u:geheim@127.0.0.1:1/d", /^error: [^\n]*127\.0\.0\.1:1\/d[^\n]*unreachable/],
    [server.url("nowhere"), /^error: [^\n]*database "nowhere" does not exist/],
    [server.url(foreign), /^error: [^\n]*schema turngate belongs to another application/],
    ["postgres://127.0.0.1/d?sslmode=maybe", /^error: [^\n]*sslmode must be/],
  ] as const) {
    const { code, stdout, stderr } = await line.run(["migrate"], { DATABASE_URL: url });
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, reason);
    assert.equal(stderr.split("\n").length, 2, stderr);
    assert.doesNotMatch(stderr, /geheim/);
  }
});

test("a start that fails after it joined the others leaves them and ends", async () => {
  const [, b] = processes;
  const { port } = new URL(b?.baseUrl ?? "");
  const { code, stderr } = await line.run(["serve"], { ...variables, PORT: port, MANAGE_PORT: "0" });
  assert.equal(code, 1);
  assert.match(stderr, /^error: can't listen on port \d+ of [^\n]+\n$/);
  const { data: nodes } = await run<{ data: { state: string }[] }>("nodes", "list");
  assert.deepEqual(
    nodes.map(({ state }) => state),
    ["gone", "serving", "gone"],
  );
});
