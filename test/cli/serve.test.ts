// The service, started, used and stopped as an operator does.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../support/until.ts";
import { openCommandLine, readOutcome } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();

const post = (baseUrl: string, key: string, body: object) => patiently(() => postOnce(baseUrl, key, body));

function postOnce(baseUrl: string, key: string, body: object): Promise<Response> {
  return fetch(`${baseUrl}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}

let service: ServiceProcess;
let firstKey: string;

/** Waits until the provider of one response is asked. */
async function untilItRuns(): Promise<void> {
  await until("the turn to run", async () =>
    /^turngate_turns_running 1$/m.test(await (await fetch(`${service.manageOrigin}/metrics`)).text()),
  );
}

before(async () => {
  service = await startService(line);
  firstKey = service.firstKey ?? "";
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
});

test("the first start prints a curl line that works as pasted", async () => {
  const command = /^Try it: +(curl .*)$/m.exec(service.greeted())?.[1] ?? "";
  // Once the machine, which may be busy, lets the service take requests.
  await post(service.baseUrl, firstKey, { model: "echo", input: "Ready?" });
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: line.folder });
  const response = JSON.parse(stdout);
  assert.equal(response.status, "completed");
  assert.equal(response.output[0].content[0].text, "Hello");
});

test("standard output, which is no terminal, has lines of JSON alone; no output shows a secret", () => {
  for (const text of service.said().trim().split("\n")) assert.equal(typeof JSON.parse(text).event, "string");
  assert.equal(service.greeted().match(/^API key:/gm)?.length, 1);
  assert.doesNotMatch(service.said() + service.greeted(), /sk_|#/);
});

test("only their owner can read the files of the first key and the first link", () => {
  for (const name of ["first-api-key", "first-sign-in-link"])
    assert.equal(statSync(join(line.folder, "data", name)).mode & 0o777, 0o600);
});

test("the first start writes a link that signs the owner in, once", async () => {
  const link = new URL(service.firstLink ?? "");
  assert.equal(link.pathname, "/sign-in");
  const redeem = () =>
    fetch(`${link.origin}/manage/api/sign-in-links/redeem`, {
      method: "POST",
      body: JSON.stringify({ secret: link.hash.slice(1) }),
    });
  const first = await redeem();
  const { role, organization } = (await first.json()) as { role: string; organization: { name: string } };
  assert.deepEqual([first.status, role, organization.name], [200, "owner", "default"]);
  assert.equal((await redeem()).status, 400);
});

test("on a terminal the first start shows its key and its link", { skip: !existsSync("/usr/bin/script") }, async () => {
  const own = openCommandLine();
  const child = spawn("script", ["-qefc", `'${process.execPath}' '${own.main}' serve`, "/dev/null"], {
    cwd: own.folder,
    env: { PATH: process.env["PATH"] ?? "", PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = readOutcome(child);
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  await until("the start", () => shown.includes('"service.started"'));
  assert.match(shown, /^API key: +sk_[0-9A-Za-z]{50}\r?$/m);
  assert.match(shown, /^Sign in: +http:\S+#\S+\r?$/m);
  assert.deepEqual(
    readdirSync(join(own.folder, "data")).filter((name) => name.startsWith("first-")),
    [],
  );
  process.kill(Number(/"process":(\d+)/.exec(shown)?.[1]), "SIGTERM");
  await ended;
  own.remove();
});

test("only its owner can read the root secret", () => {
  assert.equal(statSync(join(line.folder, "data", "secret")).mode & 0o777, 0o600);
});

test("the first organization is served at once", async () => {
  const { data } = await line.json<{ data: readonly Record<string, unknown>[] }>("orgs", "list");
  const [organization, ...others] = data;
  assert.equal(others.length, 0);
  assert.deepEqual(
    { ...organization, id: "", credits: 0, policy: null, limits: null },
    { id: "", name: "default", plan: true, payment_method: true, credits: 0, held: 0, policy: null, limits: null },
  );
  assert.equal(organization?.["credits"], 1_000_000);
});

test("a key created beside the running service works at once, and fails at once after it is revoked", async () => {
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

test("a host that the service cannot listen on is an error in one line", async () => {
  const { code, stderr } = await line.run(["serve"], {
    HOST: "999.1.1.1",
    MANAGE_PORT: "0",
    DATABASE_URL: "sqlite:./another/turngate.db",
  });
  assert.equal(code, 1);
  assert.match(stderr, /^error: can't listen on port \d+ of 999\.1\.1\.1: the name[^\n]+\. Set HOST and PORT\.\n$/);
});

test("a management port in use is an error in one line, and nothing is left running", async () => {
  const { port } = new URL(service.manageOrigin);
  const variables = { PORT: "0", MANAGE_PORT: port, DATABASE_URL: "sqlite:./third/turngate.db" };
  const { code, stderr } = await line.run(["serve"], variables);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `error: can't listen on port ${port} of 127.0.0.1: it is in use. Set MANAGE_HOST and MANAGE_PORT.\n`,
  );
});

test("probes answer on the management port too", async () => {
  const origin = service.manageOrigin;
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  assert.deepEqual(await (await fetch(`${origin}/readyz`)).json(), { status: "ready" });
  const { error } = (await (await fetch(`${origin}/nowhere`)).json()) as { error: { code: string } };
  assert.equal(error.code, "resource_not_found");
});

test("a port in use is an error in one line, and nothing is left running", async () => {
  const { port } = new URL(service.baseUrl);
  const variables = { PORT: port, MANAGE_PORT: "0", DATABASE_URL: "sqlite:./other/turngate.db" };
  const { code, stderr } = await line.run(["serve"], variables);
  assert.equal(code, 1);
  assert.equal(stderr, `error: can't listen on port ${port} of 127.0.0.1: it is in use. Set HOST and PORT.\n`);
});

test("two ports in use are both named, in one line", async () => {
  const { port } = new URL(service.baseUrl);
  const { port: managePort } = new URL(service.manageOrigin);
  const variables = { PORT: port, MANAGE_PORT: managePort, DATABASE_URL: "sqlite:./both/turngate.db" };
  const { code, stderr } = await line.run(["serve"], variables);
  assert.equal(code, 1);
  const taken = (number: string, names: string) =>
    `can't listen on port ${number} of 127.0.0.1: it is in use. Set ${names}.`;
  const told = `${taken(port, "HOST and PORT")} ${taken(managePort, "MANAGE_HOST and MANAGE_PORT")}`;
  assert.equal(stderr, `error: ${told}\n`);
});

test("a start that finds its port in use uses up no key: the next start shows it", async () => {
  const { port } = new URL(service.baseUrl);
  const own = { MANAGE_PORT: "0", DATABASE_URL: "sqlite:./untouched/turngate.db" };
  const taken = await line.run(["serve"], { ...own, PORT: port });
  assert.equal(taken.code, 1);
  assert.equal(taken.stdout, "");
  const next = await startService(line, { ...own, PORT: "0" });
  next.child.kill("SIGTERM");
  assert.ok(next.firstKey !== null);
  assert.equal((await next.ended).code, 0);
});

test("a key from the environment is never printed, and a later start says that it is ignored", async () => {
  const { secret } = await line.json<{ secret: string }>("keys", "mint");
  const variables = { TURNGATE_BOOTSTRAP_API_KEY: secret, DATABASE_URL: "sqlite:./given/turngate.db" };
  const said: string[] = [];
  for (const _ of ["first", "later"]) {
    const given = await startService(line, variables);
    assert.equal((await post(given.baseUrl, secret, { model: "echo", input: "Hi" })).status, 200);
    given.child.kill("SIGTERM");
    await given.ended;
    said.push(given.said() + given.greeted());
  }
  assert.ok(!said.join("").includes(secret));
  assert.match(said[0] ?? "", /^API key: +the value of TURNGATE_BOOTSTRAP_API_KEY$/m);
  assert.doesNotMatch(said[0] ?? "", /^Sign in:/m);
  assert.match(said[0] ?? "", /^Models: +\d+ of simulated \(no configuration file\)$/m);
  assert.match(said[1] ?? "", /TURNGATE_BOOTSTRAP_API_KEY is ignored: .* already a key of this store/);
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

test("a stop lets the running response finish, takes no new one and exits with 0", async () => {
  const running = post(service.baseUrl, firstKey, { model: "simulated/echo", input: "/wait 700\nstill here" });
  await untilItRuns();
  service.child.kill("SIGTERM");
  await until("the stop to begin", () => service.said().includes('"service.stopping"'));
  // A new connection is refused; a request on an open one gets a 503.
  const late = await postOnce(service.baseUrl, firstKey, { model: "simulated/echo", input: "late" }).catch(() => null);
  assert.ok(late === null || late.status === 503, String(late?.status));
  const answered = (await (await running).json()) as { status: string };
  assert.equal(answered.status, "completed");
  const { code, stdout } = await service.ended;
  assert.equal(code, 0);
  assert.match(stdout, /"event":"service\.stopped"}\n$/);
});

test("a later start shows how to create a key instead of one, and the first key still works", async () => {
  service = await startService(line);
  assert.match(service.greeted(), /^Keys: +\S+\/bin\/turngate\.js keys create --org default --name "my key"$/m);
  assert.doesNotMatch(service.greeted(), /API key|sk_/);
  assert.equal((await post(service.baseUrl, firstKey, { model: "echo", input: "Again" })).status, 200);
});

test("a second signal ends the service at once", async () => {
  const running = post(service.baseUrl, firstKey, { model: "simulated/hangs", input: "x" }).catch(() => null);
  await untilItRuns();
  service.child.kill("SIGTERM");
  await until("the stop to begin", () => service.said().includes('"service.stopping"'));
  // A signal that soon after the first is taken for its copy. Time is counted from when the service has seen it.
  await new Promise((resolve) => setTimeout(resolve, 700));
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 1);
  await running;
});
