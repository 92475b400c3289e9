// SIGHUP: the service reads turngate.yaml and the files of secrets again; running responses keep what they began with.
// docs/operations.md (Reload)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openCommandLine } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();
const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);

/** The keys of the calls, oldest first, and the calls that wait for `answer`. */
const keys: string[] = [];
const waiting: ServerResponse[] = [];
let answersAtOnce = true;
const provider = createServer((request, response) => {
  keys.push(String(request.headers.authorization));
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (answersAtOnce) answer(response);
  else waiting.push(response.on("error", () => {}));
});

function answer(response: ServerResponse): void {
  const chunk = { choices: [{ index: 0, delta: { content: "done" }, finish_reason: "stop" }] };
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}

const configure = (models: string) => {
  const { port } = provider.address() as AddressInfo;
  const entry = `{ type: openai-compatible, base_url: 'http://127.0.0.1:${port}/v1', api_key: '\${KEY}' }`;
  write("turngate.yaml", `providers:\n  main: ${entry}\nmodels: [${models}]\n`);
};

let service: ServiceProcess;

before(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  configure("{ id: main/one }");
  write("key", "CANARY-first\n");
  service = await startService(line, { KEY_FILE: "key" });
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  provider.closeAllConnections();
  provider.close();
  line.remove();
});

const ask = (path: string, body?: object) =>
  patiently(() =>
    fetch(`${service.baseUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${service.firstKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
const create = (model: string) => ask("/responses", { model, input: "Hello" });
const models = async () =>
  ((await (await ask("/models")).json()) as { data: { id: string }[] }).data.map(({ id }) => id);

interface Line {
  readonly event: string;
  readonly level: string;
  readonly reason?: string;
  readonly changed?: string;
}

/** Sends SIGHUP and waits for the line that says what came of it. */
async function reload(): Promise<Line> {
  const lines = () =>
    service
      .said()
      .split("\n")
      .filter((text) => text.includes('"event":"configuration.reload'));
  const known = lines().length;
  service.child.kill("SIGHUP");
  // No timeout here: the test's own one applies.
  while (lines().length === known) await new Promise((resolve) => setTimeout(resolve, 5));
  return JSON.parse(lines().at(-1) ?? "");
}

test("a running response keeps its key, and the next one has the new key", async () => {
  answersAtOnce = false;
  const running = create("main/one");
  while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  answersAtOnce = true;
  write("key", "CANARY-second");
  configure("{ id: main/one }, { id: main/two }");
  const { changed, level } = await reload();
  assert.deepEqual([level, changed], ["info", "providers.main, models.main/two"]);
  assert.equal((await create("main/two")).status, 200);
  for (const response of waiting) answer(response);
  const { status } = (await (await running).json()) as { status: string };
  assert.equal(status, "completed");
  assert.deepEqual(keys, ["Bearer CANARY-first", "Bearer CANARY-second"]);
  const { stdout } = await line.run(["audit", "list", "--limit", "1", "--json"], { KEY_FILE: "key" });
  const [entry] = JSON.parse(stdout).data;
  assert.deepEqual([entry.action, entry.actor.id], ["configuration.reload", "SIGHUP"], stdout);
});

test("an invalid file or a missing secret changes nothing, and the log says why", async () => {
  configure("{ id: main/one, context_window: many }");
  const { event, level, reason } = await reload();
  assert.deepEqual([event, level], ["configuration.reload_failed", "error"]);
  assert.match(reason ?? "", /^\.\/turngate\.yaml:3: models\[0\]\.context_window is "many"; allowed: /);
  assert.deepEqual(await models(), ["main/one", "main/two"]);
  configure("{ id: main/three }");
  write("key", "");
  assert.match((await reload()).reason ?? "", /^\.\/turngate\.yaml:2: KEY_FILE: the file key is empty\.$/);
  assert.deepEqual(await models(), ["main/one", "main/two"]);
  assert.equal((await create("main/one")).status, 200);
  assert.equal(keys.at(-1), "Bearer CANARY-second");
});

test("no key is in the log", () => {
  assert.doesNotMatch(service.said(), /CANARY/);
});

test("a SIGHUP stops a service whose terminal was closed", { skip: !existsSync("/usr/bin/script") }, async (t) => {
  const own = openCommandLine();
  t.after(() => own.remove());
  const main = fileURLToPath(new URL("../../bin/turngate.js", import.meta.url));
  const command = `PORT=0 ${process.execPath} ${main} serve`;
  // `script` runs it in a new terminal, which closes with `script`.
  const terminal = spawn("/usr/bin/script", ["-q", "-c", command, "/dev/null"], { cwd: own.folder, stdio: "pipe" });
  let said = "";
  const pid = await new Promise<number>((resolve) => {
    terminal.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /"process":(\d+),"event":"service\.started"/.exec(said) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
  });
  terminal.kill("SIGKILL");
  const isRunning = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  while (isRunning()) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(existsSync(join(own.folder, "data/turngate.db-wal")), false, "an orderly stop closes the store");
});
