// The service as an operator starts, uses and stops it.
import assert from "node:assert/strict";
import { type ChildProcess, execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../support/until.ts";
import { openCommandLine, type Outcome, readOutcome } from "./command-line.ts";

const line = openCommandLine();

interface Service {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** What it has said so far. */
  said(): string;
  readonly ended: Promise<Outcome>;
}

async function start(variables: Readonly<Record<string, string>> = {}): Promise<Service> {
  const child = line.start(["serve"], { PORT: "0", ...variables });
  const ended = readOutcome(child);
  let said = "";
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /^Base URL: +(\S+)$[^]*"event":"service\.started"/m.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    ended.then(({ stderr }) => reject(new Error(`the service ended: ${stderr}`)), reject);
  });
  return { child, baseUrl, said: () => said, ended };
}

function post(baseUrl: string, key: string, body: object): Promise<Response> {
  return fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}

let service: Service;
let firstKey: string;

before(async () => {
  service = await start();
  firstKey = /^API key: +(sk_[0-9A-Za-z]{50})$/m.exec(service.said())?.[1] ?? "";
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
});

test("the first start prints a curl line that works as pasted", async () => {
  const command = /^Try it: +(curl .*)$/m.exec(service.said())?.[1] ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-c", command]);
  const response = JSON.parse(stdout);
  assert.equal(response.status, "completed");
  assert.equal(response.output[0].content[0].text, "Hello");
});

test("people are told first, then come lines of JSON; no line shows a secret", () => {
  const lines = service.said().trim().split("\n");
  const from = lines.findIndex((text) => text.startsWith("{"));
  for (const text of lines.slice(from)) assert.ok(!JSON.stringify(JSON.parse(text)).includes("sk_"));
  assert.equal(lines.filter((text) => text.startsWith("API key:")).length, 1);
});

test("the root secret is for its owner's eyes", () => {
  assert.equal(statSync(join(line.folder, "data", "secret")).mode & 0o777, 0o600);
});

test("the first organization is ready to be served", async () => {
  const [organization, ...others] = await line.json<readonly Record<string, unknown>[]>("orgs", "list");
  assert.equal(others.length, 0);
  assert.deepEqual(
    { ...organization, id: "", credits: 0, policy: null, limits: null },
    { id: "", name: "default", plan: true, payment_method: true, credits: 0, policy: null, limits: null },
  );
  assert.equal(organization?.["credits"], 1_000_000);
});

test("a key made beside the running service works at once, and fails at once when it is revoked", async () => {
  const { id, secret } = await line.json<{ id: string; secret: string }>(
    "keys",
    "create",
    "--org",
    "default",
    "--name",
    "second",
  );
  assert.equal(
    (await fetch(`${service.baseUrl}/models`, { headers: { authorization: `Bearer ${secret}` } })).status,
    200,
  );
  await line.json("keys", "revoke", id);
  assert.equal(
    (await fetch(`${service.baseUrl}/models`, { headers: { authorization: `Bearer ${secret}` } })).status,
    401,
  );
});

test("a second service on the same store does not start, and the first goes on", async () => {
  const { code, stdout, stderr } = await line.run(["serve"], { PORT: "0" });
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /^error: Another server is running on [^\n]+\n$/);
  assert.equal((await fetch(new URL("/healthz", service.baseUrl))).status, 200);
});

test("a host that cannot be listened on is said in one line", async () => {
  const { code, stderr } = await line.run(["serve"], {
    HOST: "999.1.1.1",
    MANAGE_PORT: "0",
    DATABASE_URL: "sqlite:./another/turngate.db",
  });
  assert.equal(code, 1);
  assert.match(stderr, /^error: can't listen on port \d+ of 999\.1\.1\.1: the name[^\n]+\. Set HOST and PORT\.\n$/);
});

test("a management port that is taken is said in one line, and nothing is left running", async () => {
  const { port } = new URL(/^Manage: +(\S+)$/m.exec(service.said())?.[1] ?? "");
  const variables = { PORT: "0", MANAGE_PORT: port, DATABASE_URL: "sqlite:./third/turngate.db" };
  const { code, stderr } = await line.run(["serve"], variables);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `error: can't listen on port ${port} of 127.0.0.1: it is taken. Set MANAGE_HOST and MANAGE_PORT.\n`,
  );
});

test("probes answer on the management port too", async () => {
  const { origin } = new URL(/^Manage: +(\S+)$/m.exec(service.said())?.[1] ?? "");
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  assert.deepEqual(await (await fetch(`${origin}/readyz`)).json(), { status: "ready" });
  const { error } = (await (await fetch(`${origin}/v1/models`)).json()) as { error: { code: string } };
  assert.equal(error.code, "resource_not_found");
});

test("a port that is taken is said in one line, and nothing is left running", async () => {
  const { port } = new URL(service.baseUrl);
  const variables = { PORT: port, MANAGE_PORT: "0", DATABASE_URL: "sqlite:./other/turngate.db" };
  const { code, stderr } = await line.run(["serve"], variables);
  assert.equal(code, 1);
  assert.equal(stderr, `error: can't listen on port ${port} of 127.0.0.1: it is taken. Set HOST and PORT.\n`);
});

test("doctor finds nothing wrong beside a running service", async () => {
  const { code, stdout } = await line.run(["doctor", "--json"]);
  const findings: readonly { check: string; ok: boolean }[] = JSON.parse(stdout);
  assert.deepEqual(
    findings.filter((finding) => !finding.ok),
    [],
  );
  assert.equal(code, 0);
});

test("a stop lets the running turn finish, takes no new one and exits with 0", async () => {
  const running = post(service.baseUrl, firstKey, { model: "simulated/echo", input: "/wait 700\nstill here" });
  await new Promise((resolve) => setTimeout(resolve, 150));
  service.child.kill("SIGTERM");
  await until("the stop to begin", () => service.said().includes('"service.stopping"'));
  // A new connection finds nobody listening; one that was open is told.
  const late = await post(service.baseUrl, firstKey, { model: "simulated/echo", input: "late" }).catch(() => null);
  assert.ok(late === null || late.status === 503, String(late?.status));
  const answered = (await (await running).json()) as { status: string };
  assert.equal(answered.status, "completed");
  const { code, stdout } = await service.ended;
  assert.equal(code, 0);
  assert.match(stdout, /"event":"service\.stopped"}\n$/);
});

test("a later start shows no key, and the first key still works", async () => {
  service = await start();
  assert.doesNotMatch(service.said(), /API key|sk_/);
  assert.equal((await post(service.baseUrl, firstKey, { model: "echo", input: "Again" })).status, 200);
});

test("a second signal ends it at once", async () => {
  const running = post(service.baseUrl, firstKey, { model: "simulated/hangs", input: "x" }).catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, 150));
  service.child.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 700));
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 1);
  await running;
});
