// The next release beside this one on one PostgreSQL, under load. It is this program with one migration more. With
// TEST_FORMER_RELEASE, the bin/turngate.js of another clone, that release stands in for this one: docs/decisions/schema-changes.md.
// docs/reliability.md, F-46
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { DEFAULT_LIMITS } from "../../src/contract/limits.ts";
import { type CommandLine, openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { databases } from "../store/postgres-databases.ts";
import { builtProgram } from "../support/built-program.ts";
import { load, RELEASE_CONFIG } from "./release-load.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-releases-"));
const lines: CommandLine[] = [];
const started: ServiceProcess[] = [];
after(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.map(({ ended }) => ended));
  for (const line of lines) line.remove();
  rmSync(folder, { recursive: true });
});

function open(main?: string): CommandLine {
  const line = openCommandLine(main === undefined ? {} : { main });
  lines.push(line);
  return line;
}

const openFormer = () => open(process.env["TEST_FORMER_RELEASE"]);

/** A copy of the program with one migration more. */
async function nextRelease(name: string, migration: string): Promise<CommandLine> {
  const { main } = await builtProgram();
  const copy = join(folder, name);
  cpSync(dirname(dirname(main)), copy, { recursive: true, verbatimSymlinks: true });
  const migrations = join(copy, "files/migrations/postgres");
  const number = String(readdirSync(migrations).length + 1).padStart(4, "0");
  writeFileSync(join(migrations, `${number}-${name}.sql`), migration);
  return open(join(copy, "bin/turngate.js"));
}

async function newVariables(): Promise<Record<string, string>> {
  const server = await databases.server();
  const config = join(folder, "turngate.yaml");
  writeFileSync(config, RELEASE_CONFIG);
  return {
    TURNGATE_CONFIG: config,
    DATABASE_URL: server.url(await server.createDatabase()),
    TURNGATE_SECRET: "a root secret of the releases, long enough",
    MANAGE_PORT: "0",
  };
}

async function start(line: CommandLine, variables: Record<string, string>): Promise<ServiceProcess> {
  const node = await startService(line, variables);
  started.push(node);
  return node;
}

type Command = readonly [line: CommandLine, variables: Readonly<Record<string, string>>];

async function run([line, variables]: Command, words: string): Promise<string> {
  const { code, stdout, stderr } = await line.run(words.split(" "), variables);
  assert.equal(code, 0, `${words}: ${stdout}${stderr}`);
  return stdout;
}

const setBudget = (command: Command, limit: number) =>
  run(command, `budgets set --org default --scope organization --period total --limit ${limit}`);

/** Whether a node can read all of these responses, turns were charged to the budget, and the books and the audit log are whole. */
async function assertWhole(node: ServiceProcess, key: string, created: readonly string[], command: Command) {
  for (const id of created) {
    // oxlint-disable no-await-in-loop -- one request after the other
    const reply = await fetch(`${node.baseUrl}/responses/${id}`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await reply.json()) as { status: string }).status, "completed", id);
    // oxlint-enable no-await-in-loop
  }
  const { data } = JSON.parse(await run(command, "budgets list --org default --json")) as {
    data: readonly { spent: number; held: number }[];
  };
  assert.equal(data.length, 1);
  // A token costs a tenth of a credit or more.
  assert.ok((data[0]?.spent ?? 0) > created.length / 10, JSON.stringify(data));
  assert.equal(data[0]?.held, 0);
  await run(command, "ledger check");
  await run(command, "audit verify");
}

test("a compatible release: both serve on one schema under load, and the former one comes back", async () => {
  const variables = await newVariables();
  const former = openFormer();
  const next = await nextRelease(
    "compatible",
    "-- compatible: yes. A column that nobody has to fill.\nalter table responses add column next_release text;\n",
  );
  const first = await start(former, variables);
  const key = first.firstKey ?? "";
  const second = await start(former, variables);
  await setBudget([former, variables], 900_000);
  const stopFirst = load([first, second], key);
  const newer = await start(next, variables);
  const stopSecond = load([first, second, newer], key);
  await setBudget([next, variables], 800_000);
  await setBudget([former, variables], 700_000);
  // Back: the former release starts on the later schema.
  const back = await start(former, variables);
  const stopThird = load([back], key);
  const loads = [await stopFirst(6), await stopSecond(6), await stopThird(6)];
  for (const { statuses, created } of loads) {
    assert.deepEqual(statuses, { 200: created.length });
  }
  const created = loads.flatMap((each) => each.created);
  await assertWhole(back, key, created.slice(0, 100), [former, variables]);
  await assertWhole(newer, key, created.slice(-100), [next, variables]);
});

test("an incompatible release: rejected while nodes serve, and with --stop-others they end in order", async () => {
  const variables = await newVariables();
  const former = openFormer();
  const next = await nextRelease(
    "incompatible",
    "-- compatible: no. Former releases do not fill the column.\nalter table responses add column next_release text;\n",
  );
  const nodes = [await start(former, variables), await start(former, variables)];
  const key = nodes[0]?.firstKey ?? "";
  await setBudget([former, variables], 900_000);
  const stop = load(nodes, key);
  const rejected = await next.run(["serve"], { ...variables, PORT: "0" });
  assert.equal(rejected.code, 1);
  assert.match(
    rejected.stderr,
    /error: .*nodes of a former release serve on it: [^,]+, [^,]+\. They cannot serve after \d{4}-incompatible\.sql: stop them first, or run `turngate migrate --stop-others`/,
  );
  const stoppingMs = performance.now();
  const migrated = await next.run(["migrate", "--stop-others", "--json"], variables);
  assert.equal(migrated.code, 0, migrated.stderr);
  assert.match(migrated.stderr, /^waiting for 2 nodes to stop: /);
  for (const { ended } of nodes) {
    // oxlint-disable-next-line no-await-in-loop -- both have ended by now
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: The schema belongs to a later version \(\d+; this program knows \d+\): replace it\.$/m,
    );
  }
  const newer = await start(next, variables);
  // Without turns that run long, the outage is the time in which a node stops and another one starts.
  const outageMs = performance.now() - stoppingMs;
  assert.ok(outageMs < DEFAULT_LIMITS.drain_seconds * 1000, `${outageMs} ms`);
  const { statuses, created } = await stop();
  assert.deepEqual(
    Object.keys(statuses).filter((status) => !["200", "503", "gone"].includes(status)),
    [],
  );
  assert.ok(created.length > 5);
  const tooOld = await former.run(["serve"], { ...variables, PORT: "0" });
  assert.equal(tooOld.code, 1);
  assert.match(tooOld.stderr, /was written by a later version/);
  await assertWhole(newer, key, created.slice(0, 100), [next, variables]);
});
