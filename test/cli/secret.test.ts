// turngate secret rotate and status: another root secret, in a file and by variables, under a service.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CommandLine, commandLineForFile } from "./command-line.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = commandLineForFile();
const FORMER = join(line.folder, "data", "secret.former");

/** Runs work with the service that serves the data folder of a command line. */
async function serving<T>(
  work: (service: ServiceProcess) => Promise<T>,
  variables: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = await startService(line, variables);
  try {
    return await work(service);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
}

const statusOf = async ({ baseUrl }: ServiceProcess, key: string) =>
  (await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
const newKey = async (name: string) =>
  (await line.json<{ secret: string }>("keys", "create", "--org", "default", "--name", name)).secret;
const secretStatus = () => line.json<{ keys: { name: string; organization_name: string }[] }>("secret", "status");

test("in a file: what is used after a rotation is hashed anew, and then needs the former secret no more", async () => {
  const first = await serving(async (service) => service.firstKey ?? "");
  const used = await newKey("used key");
  const unused = await newKey("unused key");
  const token = (await line.json<{ secret: string }>("tokens", "create", "--scope", "operator", "--name", "ops"))
    .secret;
  const none = { former: null, in_use: true, keys_left: 0, tokens_left: 0, keys: [], tokens: [] };
  assert.deepEqual(await secretStatus(), none);
  const before = readFileSync(join(line.folder, "data", "secret"), "utf8");

  const rotated = await line.run(["secret", "rotate"]);
  assert.deepEqual([rotated.code, rotated.stderr], [0, ""]);
  assert.match(
    rotated.stdout,
    /when it is restarted[\s\S]*3 secrets of keys and 1 token still need the former root secret/,
  );
  assert.equal(readFileSync(FORMER, "utf8"), before);
  assert.notEqual(readFileSync(join(line.folder, "data", "secret"), "utf8"), before);

  await serving(async (service) => {
    assert.deepEqual([await statusOf(service, first), await statusOf(service, used)], [200, 200]);
    assert.equal((await line.run(["tokens", "list", "--url", service.manageOrigin, "--token", token])).code, 0);
  });
  const { keys, ...others } = await secretStatus();
  assert.deepEqual(others, { former: "data/secret.former", in_use: true, keys_left: 1, tokens_left: 0, tokens: [] });
  assert.deepEqual(
    keys.map(({ name, organization_name: of }) => [name, of]),
    [["unused key", "default"]],
  );
  const again = await line.run(["secret", "rotate"]);
  assert.match(again.stdout, /^The rotation has begun before\./);

  rmSync(FORMER);
  assert.match(
    (await line.run(["secret", "status"])).stdout,
    /^1 secret of keys and 0 tokens were hashed with a former .*\nid +name +organization\nkey_\w+ +unused key +default\n$/,
  );
  const doctor = await line.run(["doctor"]);
  assert.match(doctor.stdout, /^secret +no +1 secret of keys and tokens were hashed with a former root secret/m);
  await serving(async (service) => {
    assert.deepEqual([await statusOf(service, first), await statusOf(service, used)], [200, 200]);
    assert.equal(await statusOf(service, unused), 401);
    assert.equal((await line.run(["tokens", "list", "--url", service.manageOrigin, "--token", token])).code, 0);
    const { data } = await line.json<{ data: { action: string }[] }>("audit", "list", "--action", "root_secret.rotate");
    assert.equal(data.length, 1);
  });
});

test("by variables: nodes that know both serve before and after the rotation begins", async () => {
  const present = readFileSync(join(line.folder, "data", "secret"), "utf8").trim();
  const next = { TURNGATE_SECRET: "another root secret of more than thirty-two characters" };
  const both = { ...next, TURNGATE_FORMER_SECRET: present };
  const alone = await line.run(["secret", "rotate"], { TURNGATE_SECRET: present });
  assert.match(alone.stderr, /^error: TURNGATE_FORMER_SECRET is not set\. Set it to the present root secret/);
  assert.match(
    (await line.run(["secret", "rotate"], { TURNGATE_FORMER_SECRET: present })).stderr,
    /^error: TURNGATE_FORMER_SECRET needs TURNGATE_SECRET/,
  );
  assert.match((await line.run(["secret", "status"], next)).stderr, /^error: TURNGATE_SECRET is not the root secret/);
  const key = await newKey("of the present one");

  await serving(async (service) => {
    assert.equal(await statusOf(service, key), 200);
    // Nothing is hashed with the new one yet: a node that has the present one alone goes on.
    assert.match((await line.run(["secret", "status"], both)).stdout, /not in use yet/);
    assert.equal((await line.run(["secret", "rotate"], both)).code, 0);
    assert.equal(await statusOf(service, key), 200);
  }, both);
  await serving(async (service) => assert.equal(await statusOf(service, key), 200), both);
  await serving(async (service) => assert.equal(await statusOf(service, key), 200), next);
  assert.match((await line.run(["orgs", "list"])).stderr, /^error: [^\n]*data\/secret is not the root secret/);
});

test("a rotation that was interrupted goes on, and a foreign secret begins none", async () => {
  const other: CommandLine = commandLineForFile();
  await other.json("orgs", "create", "--name", "Acme");
  const secret = join(other.folder, "data", "secret");
  const present = readFileSync(secret, "utf8");
  // The files are there, the database does not know yet.
  writeFileSync(`${secret}.former`, present, { mode: 0o600 });
  writeFileSync(secret, `${"n".repeat(64)}\n`, { mode: 0o600 });
  assert.match((await other.run(["secret", "status"])).stdout, /not in use yet/);
  assert.equal((await other.json<{ rotated: boolean }>("secret", "rotate")).rotated, true);
  rmSync(`${secret}.former`);
  writeFileSync(secret, `${"x".repeat(64)}\n`, { mode: 0o600 });
  assert.match((await other.run(["secret", "rotate"])).stderr, /^error: [^\n]*is not the root secret/);
  assert.equal(existsSync(`${secret}.former`), false);
});
