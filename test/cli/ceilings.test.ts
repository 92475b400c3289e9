// What the operator sets on the store, by commands and by an accounts file, binds an owner who works over HTTP.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();
let service: ServiceProcess;
/** The options of an owner who works on the running service. */
let owner: readonly string[];

before(async () => {
  service = await startService(line);
  const { secret } = await line.json<{ secret: string }>(
    "tokens",
    "create",
    "--org",
    "default",
    "--name",
    "an owner",
    "--role",
    "owner",
  );
  owner = ["--url", service.manageOrigin, "--token", secret, "--org", "default"];
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
});

async function assertDenied(words: readonly string[], what: RegExp): Promise<void> {
  const { code, stderr } = await line.run([...words, ...owner]);
  assert.equal(code, 1, words.join(" "));
  assert.match(stderr, /^error: The operator of the service has set /);
  assert.match(stderr, what);
}

const MONTH = ["--scope", "organization", "--period", "month"];

test("a command of the operator on the store, then an owner's over HTTP", async () => {
  await line.json("budgets", "set", "--org", "default", ...MONTH, "--limit", "100");
  await line.json("policy", "set", "--org", "default", "--tool-calls-per-turn", "5");
  await line.json("limits", "set", "--org", "default", "--open-streams", "4");
  await line.json("orgs", "retention", "default", "--days", "60");
  await assertDenied(["budgets", "set", ...MONTH, "--limit", "101"], /100 credits/);
  await assertDenied(["budgets", "clear", ...MONTH], /100 credits/);
  await assertDenied(["policy", "set", "--tool-calls-per-turn", "6"], /tool_calls_per_turn to 5/);
  await assertDenied(["limits", "set", "--open-streams", "5"], /open_streams to 4/);
  const own = await line.json<{ limit: number }>("budgets", "set", ...MONTH, "--limit", "60", ...owner);
  assert.equal(own.limit, 60);
  const shown = await line.json<{ data: object[] }>("budgets", "list", ...owner);
  assert.deepEqual(shown.data[0], { ...shown.data[0], limit: 60, ceiling: 100, own_limit: 60 });
});

test("an accounts file sets the operator's rules, and neither shows nor changes the owner's own", async () => {
  const path = join(line.folder, "accounts.yaml");
  const budget = "{ scope: organization, period: month, limit: 80 }";
  writeFileSync(
    path,
    `organizations:\n  - name: default\n    policy: { tool_calls_per_turn: 3 }\n    retention_days: 50\n    budgets: [${budget}]\n`,
  );
  assert.equal((await line.run(["apply", path])).code, 0);
  assert.equal((await line.run(["plan", path])).code, 0, "nothing is left to change");
  await assertDenied(["budgets", "set", ...MONTH, "--limit", "81"], /80 credits/);
  await assertDenied(["policy", "set", "--tool-calls-per-turn", "4"], /tool_calls_per_turn to 3/);
  const { data } = await line.json<{ data: object[] }>("budgets", "list", ...owner);
  assert.deepEqual(data[0], { ...data[0], limit: 60, ceiling: 80, own_limit: 60 });
  const { stdout } = await line.run(["orgs", "file", "--org", "default"]);
  assert.match(stdout, /limit: 80/);
  assert.doesNotMatch(stdout, /limit: 60/);
});
