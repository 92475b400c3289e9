// The next release beside this one on one PostgreSQL, under load. It is this program with one migration more. (docs/reliability.md, F-46)
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { type CommandLine, openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { until } from "../support/until.ts";
import { databases } from "../store/postgres-databases.ts";
import { builtProgram } from "../support/built-program.ts";

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
  return {
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

/**
 * Clients that create responses on some nodes until the result is called, and have created at least so many; it returns
 * the replies by status.
 */
function load(nodes: readonly ServiceProcess[], key: string) {
  const statuses = new Map<number, number>();
  const created: string[] = [];
  const state = { isOver: false };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const live = async (node: ServiceProcess): Promise<void> => {
    while (!state.isOver) {
      // oxlint-disable no-await-in-loop -- one request after the other
      try {
        const body = JSON.stringify({ model: "simulated/echo", input: "Hello" });
        const reply = await fetch(`${node.baseUrl}/responses`, { method: "POST", headers, body });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        const { id } = (await reply.json()) as { id: string };
        if (reply.status === 200) created.push(id);
      } catch {
        // The node has gone.
        return;
      }
      // oxlint-enable no-await-in-loop
    }
  };
  const living = Promise.all(nodes.flatMap((node) => [live(node), live(node)]));
  return async (least = 0) => {
    await until(`${least} responses`, () => created.length >= least);
    state.isOver = true;
    await living;
    return { statuses: Object.fromEntries(statuses), created };
  };
}

/** Whether a node can read all of these responses, and the books are whole. */
async function assertWhole(
  node: ServiceProcess,
  key: string,
  created: readonly string[],
  [line, variables]: readonly [CommandLine, Record<string, string>],
): Promise<void> {
  for (const id of created) {
    // oxlint-disable no-await-in-loop -- one request after the other
    const reply = await fetch(`${node.baseUrl}/responses/${id}`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await reply.json()) as { status: string }).status, "completed", id);
    // oxlint-enable no-await-in-loop
  }
  const { code, stdout, stderr } = await line.run("ledger check".split(" "), variables);
  assert.equal(code, 0, stdout + stderr);
}

test("a compatible release: both serve on one schema under load, and the former one comes back", async () => {
  const variables = await newVariables();
  const former = open();
  const next = await nextRelease(
    "compatible",
    "-- compatible: yes. A column that nobody has to fill.\nalter table responses add column next_release text;\n",
  );
  const first = await start(former, variables);
  const key = first.firstKey ?? "";
  const second = await start(former, variables);
  const stopFirst = load([first, second], key);
  const newer = await start(next, variables);
  const stopSecond = load([first, second, newer], key);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // Back: the former release starts on the later schema.
  const back = await start(former, variables);
  const stopThird = load([back], key);
  const loads = [await stopFirst(6), await stopSecond(6), await stopThird(6)];
  for (const { statuses, created } of loads) {
    assert.deepEqual(statuses, { 200: created.length });
  }
  const created = loads.flatMap((each) => each.created);
  await assertWhole(back, key, created.slice(0, 100), [former, variables]);
});

test("an incompatible release: rejected while nodes serve, and with --stop-others they end in order", async () => {
  const variables = await newVariables();
  const former = open();
  const next = await nextRelease(
    "incompatible",
    "-- compatible: no. Former releases do not fill the column.\nalter table responses add column next_release text;\n",
  );
  const nodes = [await start(former, variables), await start(former, variables)];
  const key = nodes[0]?.firstKey ?? "";
  const stop = load(nodes, key);
  const rejected = await next.run(["serve"], { ...variables, PORT: "0" });
  assert.equal(rejected.code, 1);
  assert.match(
    rejected.stderr,
    /error: .*nodes of a former release serve on it: [^,]+, [^,]+\. They cannot serve after \d{4}-incompatible\.sql: stop them first, or run `turngate migrate --stop-others`/,
  );
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
  const { statuses, created } = await stop();
  assert.deepEqual(
    Object.keys(statuses).filter((status) => !["200", "503"].includes(status)),
    [],
  );
  assert.ok(created.length > 5);
  const tooOld = await former.run(["serve"], { ...variables, PORT: "0" });
  assert.equal(tooOld.code, 1);
  assert.match(tooOld.stderr, /was written by a later version/);
  const newer = await start(next, variables);
  await assertWhole(newer, key, created.slice(0, 100), [next, variables]);
});
