// Commands of operations print the same on the store and on the service that runs on it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();
/** Here there is no store: everything comes from the service. */
const elsewhere = openCommandLine();
let service: ServiceProcess;
let remote: readonly string[];

before(async () => {
  service = await startService(line);
  const { secret } = await line.json<{ secret: string }>("tokens", "create", "--name", "remote", "--scope", "operator");
  remote = ["--url", service.manageOrigin, "--token", secret];
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
  elsewhere.remove();
});

test("what is changed and what is read is the same in both ways", async () => {
  const org = ["--org", "default"];
  for (const words of [
    ["policy", "set", ...org, "--allow-model", "simulated/echo", "echo", "--tool-calls-per-turn", "none"],
    ["policy", "set", ...org, "--clear", "--deny-model", "simulated/chat"],
    ["policy", "set", ...org, "--clear"],
    ["policy", "try", ...org, "--allow-model", "simulated/echo", "echo", "--deny-model", "none"],
    ["limits", "set", ...org, "--open-streams", "3", "--create-per-minute", "default"],
    ["orgs", "retention", "default", "--days", "30"],
    ["orgs", "retention", "default"],
    ["models", "list"],
    ["usage"],
    ["usage", ...org, "--by", "model", "--member", "none"],
    ["turns", "list", ...org, "--from", "2026-01-01", "--limit", "3"],
    ["turns", "groups", ...org, "--by", "key"],
    ["rejections", "list", ...org],
    ["ledger", "list", ...org, "--top-ups"],
    ["ledger", "check"],
    ["ledger", "check", ...org],
  ]) {
    const here = await line.json(...words);
    assert.deepEqual(await elsewhere.json(...words, ...remote), here, words.join(" "));
  }
  for (const words of [["running"], ["running", ...org], ["nodes", "list"]]) {
    const { data } = await elsewhere.json<{ data: object[] }>(...words, ...remote);
    assert.deepEqual(data, [], words.join(" "));
  }
  const { erased } = await elsewhere.json<{ erased: number }>("erase", "--older-than-days", "0", ...remote);
  assert.ok(erased >= 0);
  const unnamed = await elsewhere.run(["usage", "--member", "ada@acme.test", ...remote]);
  assert.match(unnamed.stderr, /^error: --org is needed/);
  const unknown = ["policy", "set", ...org, "--deny-model", "some/model", ...remote];
  assert.match((await elsewhere.run(unknown)).stderr, /^warning: the catalog has no model "some\/model"/);
});

test("an operation that an option selects has the organization that it needs, or none", async () => {
  const operators = ["--scope", "operator", "--name", "from elsewhere", ...remote];
  assert.match((await elsewhere.json<{ secret: string }>("tokens", "create", ...operators)).secret, /^adm_/);
  const owners = ["--org", "default", "--role", "owner", "--name", "of the organization", ...remote];
  assert.match((await elsewhere.json<{ secret: string }>("tokens", "create", ...owners)).secret, /^adm_/);
});

test("an owner's token revokes a token of its organization, and no other one", async () => {
  const create = async (...words: readonly string[]) =>
    line.json<{ id: string; secret: string }>("tokens", "create", "--name", "made", ...words);
  const owner = await create("--org", "default", "--role", "owner");
  const [own, ofOperator] = [await create("--org", "default", "--role", "admin"), await create("--scope", "operator")];
  const where = ["--org", "default", "--url", service.manageOrigin, "--token", owner.secret];
  const revoked = await elsewhere.json<{ id: string; revoked_at: number }>("tokens", "revoke", own.id, ...where);
  assert.equal(revoked.id, own.id);
  assert.deepEqual(await line.json("tokens", "revoke", own.id), revoked);
  const { code, stderr } = await elsewhere.run(["tokens", "revoke", ofOperator.id, ...where]);
  assert.deepEqual([code, stderr], [1, `error: there is no token ${ofOperator.id}.\n`]);
});
