// `serve --processes N`: several processes on one port, started, watched and stopped by one parent. See docs/nodes.md
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openCommandLine } from "../cli/command-line.ts";
import { patiently } from "../cli/patiently.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { until } from "../support/until.ts";
import { databases } from "../store/postgres-databases.ts";

const line = openCommandLine();
const services: ServiceProcess[] = [];
let variables: Record<string, string> = {};
let key = "";

before(async () => {
  const server = await databases.server();
  variables = { DATABASE_URL: server.url(await server.createDatabase()) };
});

after(async () => {
  for (const { child } of services) child.kill("SIGKILL");
  await Promise.all(services.map(({ ended }) => ended));
  line.remove();
});

/** Starts so many processes; resolves when all of them serve. */
async function start(processes: number): Promise<ServiceProcess> {
  const service = await startService(line, variables, ["--processes", String(processes)]);
  services.push(service);
  key = service.firstKey ?? key;
  await until("all processes", () => startsOf(service).length === processes);
  return service;
}

/** The ids of the processes that have started, oldest first; one that was started again comes last. */
function startsOf(service: ServiceProcess): readonly number[] {
  const found = service.said().matchAll(/"process":(\d+),"event":"service\.started"/g);
  return [...found].map(([, id]) => Number(id));
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

const untilGone = (ids: readonly number[]) => until("the processes to be gone", () => !ids.some(isAlive));

const create = ({ baseUrl }: ServiceProcess, input: string) =>
  patiently(() =>
    fetch(`${baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "simulated/echo", input }),
    }),
  );

async function metricsOf({ manageOrigin }: ServiceProcess): Promise<string> {
  return (await fetch(`${manageOrigin}/metrics`)).text();
}

test("three processes are three nodes on one port: one greeting, and one page of metrics for all of them", async () => {
  const service = await start(3);
  assert.equal(service.greeted().match(/^(?:API key|Sign in|Base URL|Manage|Models):/gm)?.length, 5);
  assert.equal((await create(service, "Hi")).status, 200);
  const page = await metricsOf(service);
  for (const number of [1, 2, 3]) {
    assert.match(page, new RegExp(`^turngate_process_up\\{process_number="${number}"\\} 1$`, "m"));
    assert.match(page, new RegExp(`^turngate_turns_running\\{process_number="${number}"\\} 0$`, "m"));
    // Every process counts the events of the one store.
    const created = `turngate_events_last_hour\\{process_number="${number}",type="organization.create"\\}`;
    assert.match(page, new RegExp(`^${created} 1$`, "m"));
  }
  assert.equal(
    page.match(/^turngate_requests_total\{process_number="\d",operation="createResponse".*\} 1$/gm)?.length,
    1,
  );
  assert.equal(page.match(/^# HELP turngate_turns_running /gm)?.length, 1);
  for (const text of service
    .said()
    .trim()
    .split("\n")
    .filter((each) => each.includes("service.started")))
    assert.match((JSON.parse(text) as { node: string }).node, /:\d+$/);

  const [one, ...others] = startsOf(service);
  process.kill(one ?? 0, "SIGKILL");
  await until("its successor", () => startsOf(service).length === 4);
  assert.match(await metricsOf(service), /^turngate_process_restarts_total\{process_number="1"\} 1$/m);
  assert.ok(others.every(isAlive));
  assert.equal(service.greeted().match(/^(?:API key|Keys|Base URL):/gm)?.length, 2, "a successor greets nobody");

  const running = create(service, "/wait 700\nstill here");
  await until("the turn to run", async () => /^turngate_turns_running\{.*\} 1$/m.test(await metricsOf(service)));
  service.child.kill("SIGTERM");
  assert.equal(((await (await running).json()) as { status: string }).status, "completed");
  assert.equal((await service.ended).code, 0);
  assert.match(service.said(), /"processes":3,"failed":0,"event":"processes\.stopped"}\n$/);
  assert.ok(!startsOf(service).some(isAlive));
  const { stdout } = await line.run(["nodes", "list", "--json"], variables);
  const gone = (JSON.parse(stdout) as { data: Record<string, unknown>[] }).data.filter(({ state }) => state === "gone");
  assert.equal(gone.length >= 3, true, stdout);
  // Times in JSON are Unix seconds.
  for (const { gone_at } of gone) assert.ok(Math.abs(Number(gone_at) - Date.now() / 1000) < 600, stdout);
});

test("a connection that waits for a process that dies is served by its successor", async () => {
  const service = await start(1);
  const [id = 0] = startsOf(service);
  process.kill(id, "SIGSTOP");
  // The system completes the connection and keeps the request; no process accepts it.
  const waiting = create(service, "Who answers?");
  const url = new URL("/healthz", service.baseUrl);
  const other = fetch(url);
  process.kill(id, "SIGKILL");
  assert.deepEqual([(await waiting).status, (await other).status], [200, 200]);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
});

test("a reload by a signal to the parent, or by a request to any process, reaches all of them", async () => {
  const service = await start(2);
  const reloads = () => service.said().match(/"configuration\.reloaded"/g)?.length ?? 0;
  service.child.kill("SIGHUP");
  await until("both to reload", () => reloads() === 2);
  const words = ["tokens", "create", "--name", "reloads", "--scope", "operator", "--json"];
  const { secret } = JSON.parse((await line.run(words, variables)).stdout) as { secret: string };
  const { status } = await fetch(`${service.manageOrigin}/manage/api/configuration/reload`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(status, 200);
  await until("both to reload again", () => reloads() === 4);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
});

test("when a later version has migrated the schema, all processes stop and the parent ends with one line", async () => {
  const server = await databases.server();
  const database = await server.createDatabase();
  const own = await startService(line, { ...variables, DATABASE_URL: server.url(database) }, ["--processes", "2"]);
  services.push(own);
  await until("all processes", () => startsOf(own).length === 2);
  const ids = startsOf(own);
  await server.query(database, "insert into turngate.schema_version values (999, '0999-later.sql', 1, 'x', 0)");
  const { code, stderr } = await own.ended;
  assert.equal(code, 1);
  const lines = stderr.match(/^error: .*$/gm) ?? [];
  assert.equal(lines.length, 1, stderr);
  assert.match(
    lines[0] ?? "",
    /^error: The schema belongs to a later version \(999; this program knows \d+\): replace/,
  );
  assert.deepEqual(startsOf(own), ids, "none is started again");
  await untilGone(ids);
});

test("a schema that was migrated while no process lived is not tried again and again", async () => {
  const server = await databases.server();
  const database = await server.createDatabase();
  const own = { ...variables, DATABASE_URL: server.url(database) };
  const service = await startService(line, own, ["--processes", "2"]);
  services.push(service);
  await until("all processes", () => startsOf(service).length === 2);
  const ids = startsOf(service);
  for (const id of ids) process.kill(id, "SIGSTOP");
  await server.query(database, "insert into turngate.schema_version values (999, '0999-later.sql', 1, 'x', 0)");
  for (const id of ids) process.kill(id, "SIGKILL");
  const LATER = /^error: .* was written by a later version \(schema 999; this version knows \d+\)\. Run that version/;
  for (const ended of [service.ended, line.runProcess(["serve", "--processes", "2"], { PORT: "0", ...own })]) {
    // oxlint-disable-next-line no-await-in-loop -- the second starts on what the first has left
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    const lines = stderr.match(/^error: .*$/gm) ?? [];
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? "", LATER);
  }
});

test("no process outlives its parent, even one that was killed", async () => {
  const service = await start(2);
  const ids = startsOf(service);
  service.child.kill("SIGKILL");
  await untilGone(ids);
  await service.ended;
});

test("a second signal ends all processes at once", async () => {
  const service = await start(2);
  const ids = startsOf(service);
  const running = create(service, "/wait 60000\nnever").catch(() => null);
  await until("the turn to run", async () => /^turngate_turns_running\{.*\} 1$/m.test(await metricsOf(service)));
  service.child.kill("SIGTERM");
  await until("the stop to begin", () => service.said().includes('"processes.stopping"'));
  // A signal that soon after the first is taken for its copy. Time is counted from when the parent has seen it.
  await new Promise((resolve) => setTimeout(resolve, 700));
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 1);
  await untilGone(ids);
  await running;
});

test("a start on a port in use is an error in one line, and nothing is left running", async () => {
  const service = await start(1);
  const { port } = new URL(service.baseUrl);
  const { code, stdout, stderr } = await line.run(["serve", "--processes", "2"], {
    ...variables,
    PORT: port,
    MANAGE_PORT: "0",
  });
  assert.deepEqual(
    [code, stdout, stderr],
    [1, "", `error: can't listen on port ${port} of 127.0.0.1: it is in use. Set HOST and PORT.\n`],
  );
  const bad = await line.run(["serve", "--processes", "2"], {
    ...variables,
    PORT: "0",
    TURNGATE_SECRET: "another secret than the store's, long enough",
  });
  assert.deepEqual([bad.code, bad.stdout, bad.stderr.split("\n").length], [1, "", 2], bad.stderr);
  service.child.kill("SIGTERM");
  await service.ended;
});

test("the embedded store serves one process, and the error names the way out", async () => {
  const { code, stdout, stderr } = await line.run(["serve", "--processes", "2"], { PORT: "0" });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(
    stderr,
    /^error: --processes needs PostgreSQL[^\n]+set DATABASE_URL to postgres:[^\n]+`store copy`[^\n]+\n$/,
  );
  const { code: none, stderr: why } = await line.run(["serve", "--processes", "0"], {});
  assert.equal(none, 1);
  assert.match(why, /^error: [^\n]*Allowed: a whole number from 1 to 512\. See `turngate serve --help`\.\n$/);
});
