// The files of the embedded store removed, moved or replaced under the running service: from then on it acknowledges nothing, every
// waiting request gets a reply, and the service exits. (docs/reliability.md, F-41)
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { startService } from "./service-process.ts";

/** The reply to one request. */
interface Heard {
  /** When the request was sent, on this process's clock. */
  readonly sentMs: number;
  /** Null: no connection could be made, or it broke. */
  readonly status: number | null;
  readonly body: string;
}

const CLIENTS = 8;
/** Requests stop after so many replies, in case the service does not exit. */
const HEARD_MAX = 20_000;

/** Each request has its own connection: a kept one may be closed just as it is reused. */
function ask(baseUrl: string, key: string, path: string, body: object | null): Promise<Heard> {
  const sentMs = performance.now();
  return new Promise((resolve) => {
    const method = body === null ? "GET" : "POST";
    const request = httpRequest(`${baseUrl}${path}`, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${key}` },
    });
    request.on("error", () => resolve({ sentMs, status: null, body: "" }));
    request.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("error", () => resolve({ sentMs, status: null, body: text }));
      response.on("end", () => resolve({ sentMs, status: response.statusCode ?? null, body: text }));
    });
    request.end(body === null ? undefined : JSON.stringify(body));
  });
}

/** Whether the service rejected a request because the machine is busy. */
const isOverloaded = ({ status, body }: Heard) => status === 503 && body.includes('"gateway_overloaded"');

/** Sends a create again while the service rejects it like that. */
async function askPatiently(baseUrl: string, key: string, body: object): Promise<Heard> {
  for (;;) {
    const heard = await ask(baseUrl, key, "/responses", body);
    if (!isOverloaded(heard)) return heard;
  }
}

/** The ways to damage the files; `other` is an intact database of another service. */
const DEEDS: readonly {
  readonly name: string;
  readonly does: (database: string, other: string) => void;
  /** Restores what was moved; then all that was acknowledged is there. */
  readonly undoes?: (database: string) => void;
}[] = [
  { name: "the database is deleted", does: (database) => rmSync(database) },
  {
    name: "the database is moved away",
    does: (database) => renameSync(database, `${database}.away`),
    undoes: (database) => renameSync(`${database}.away`, database),
  },
  { name: "another file takes the database's place", does: (database, other) => renameSync(other, database) },
  { name: "the journal is deleted", does: (database) => rmSync(`${database}-wal`) },
  { name: "another file takes the journal's place", does: (database, other) => renameSync(other, `${database}-wal`) },
  { name: "the journal's index is deleted", does: (database) => rmSync(`${database}-shm`) },
  {
    name: "the folder is moved away",
    does: (database) => renameSync(dirname(database), `${dirname(database)}.away`),
    undoes: (database) => renameSync(`${dirname(database)}.away`, dirname(database)),
  },
  { name: "the folder is deleted", does: (database) => rmSync(dirname(database), { recursive: true }) },
];

for (const { name, does, undoes } of DEEDS) {
  test(`${name}: nothing more is acknowledged, every request gets a reply, and the service ends with an error`, async (t) => {
    const line = openCommandLine();
    t.after(() => line.remove());
    const database = join(line.folder, "data", "turngate.db");
    const other = await makeOtherDatabase(line);
    const service = await startService(line);
    t.after(() => service.child.kill("SIGKILL"));
    const { baseUrl } = service;
    const key = service.firstKey ?? "";

    const heard: Heard[] = [];
    const { promise: warm, resolve: warmUp } = Promise.withResolvers<void>();
    const clients = Array.from({ length: CLIENTS }, async (_, index) => {
      while (heard.length < HEARD_MAX) {
        const answer = await ask(baseUrl, key, "/responses", { model: "simulated/echo", input: `from ${index}` });
        if (heard.push(answer) > 40) warmUp();
        if (answer.status === null) return;
      }
    });
    const stream = askPatiently(baseUrl, key, { model: "simulated/hangs", input: "Hi", stream: true });
    const waiting = askPatiently(baseUrl, key, { model: "simulated/hangs", input: "Hi" });
    await warm;
    does(database, other);
    const doneMs = performance.now();
    const late = setTimeout(() => service.child.kill("SIGKILL"), 60_000);
    const { code, stderr } = await service.ended;
    clearTimeout(late);
    const endedMs = performance.now();
    await Promise.all(clients);

    t.diagnostic(`it ended after ${Math.round(endedMs - doneMs)} ms, with ${heard.length} answers`);
    assert.equal(code, 1);
    // After the greeting, one line.
    assert.match(stderr, /\n\nerror: .*turngate\.db.* stops, because .*\n$/);
    const acknowledged = heard.filter(({ status }) => status === 200);
    assert.deepEqual(
      acknowledged.filter(({ sentMs }) => sentMs > doneMs),
      [],
    );
    // Each client gets errors of the service only, until its last request finds no service.
    const errors = heard.filter((each) => each.status !== 200 && each.status !== null && !isOverloaded(each));
    for (const { status, body } of errors) {
      assert.equal(status, 503, body);
      assert.match(body, /"code":"(database|auth)_unavailable"/);
    }
    assert.ok(errors.length > 0);
    assert.match((await stream).body, /event: error\ndata: .*"code":"response_unresolved"/);
    const { status, body } = await waiting;
    assert.deepEqual([status, /"code":"database_unavailable"/.test(body)], [503, true]);

    if (undoes === undefined) return;
    undoes(database);
    const again = await startService(line);
    t.after(() => again.child.kill("SIGKILL"));
    for (const { body: stored } of acknowledged) {
      const { id } = JSON.parse(stored) as { id: string };
      assert.equal((await ask(again.baseUrl, key, `/responses/${id}`, null)).status, 200);
    }
  });
}

/** An intact database of another service, with an empty journal. */
async function makeOtherDatabase(line: ReturnType<typeof openCommandLine>): Promise<string> {
  const path = join(line.folder, "other", "other.db");
  mkdirSync(dirname(path));
  const { code, stderr } = await line.run(["orgs", "create", "--name", "other"], { DATABASE_URL: `sqlite:${path}` });
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    readdirSync(dirname(path)).filter((name) => name.endsWith("-wal")),
    [],
  );
  return path;
}
