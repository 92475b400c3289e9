// turngate policy set: models by their ids, and how rules are lifted. turngate orgs retention.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();
before(() => line.json("orgs", "create", "--name", "acme"));

interface Ruled {
  readonly policy: { allow_models: string[] | null; deny_models: string[]; tool_calls_per_turn: number | null };
}

const setPolicy = async (...words: readonly string[]) =>
  (await line.json<Ruled>("policy", "set", "--org", "acme", ...words)).policy;

test("each rule can be lifted alone, and --clear lifts all", async () => {
  const set = await setPolicy(
    "--allow-model",
    "echo",
    "--deny-model",
    "group-a",
    "group-b",
    "--tool-calls-per-turn",
    "2",
  );
  const denied = ["simulated/group-a", "simulated/group-b"];
  assert.deepEqual(set, { allow_models: ["simulated/echo"], deny_models: denied, tool_calls_per_turn: 2 });
  assert.deepEqual(await setPolicy("--allow-model", "all"), { ...set, allow_models: null });
  assert.deepEqual(await setPolicy("--deny-model", "none"), { ...set, allow_models: null, deny_models: [] });
  assert.deepEqual(await setPolicy("--tool-calls-per-turn", "none", "--deny-model", "echo"), {
    allow_models: null,
    deny_models: ["simulated/echo"],
    tool_calls_per_turn: null,
  });
  assert.deepEqual(await setPolicy("--clear"), { allow_models: null, deny_models: [], tool_calls_per_turn: null });
});

test("an id that the catalog does not have is a warning, an unknown bare name an error", async () => {
  const words = ["policy", "set", "--org", "acme", "--deny-model"];
  const taken = await line.run([...words, "anthropic/claude-of-tomorrow", "--json"]);
  assert.equal(taken.code, 0);
  assert.equal(
    taken.stderr,
    'warning: the catalog has no model "anthropic/claude-of-tomorrow"; the rule applies once it does.\n',
  );
  assert.deepEqual(JSON.parse(taken.stdout).policy.deny_models, ["anthropic/claude-of-tomorrow"]);
  const rejected = await line.run([...words, "claude-of-tomorrow"]);
  assert.equal(rejected.code, 1);
  assert.equal(rejected.stderr, 'error: deny_models: There is no model "claude-of-tomorrow".\n');
});

test("a retention is set, shown and given up; one that is too short is an error", async () => {
  const retention = (...words: readonly string[]) => line.json<object>("orgs", "retention", "acme", ...words);
  const set = { days: null, operator_days: 30, service_days: null, effective_days: 30 };
  assert.deepEqual(await retention("--days", "30"), set);
  assert.deepEqual(await retention(), set);
  const none = { days: null, service_days: null, effective_days: null };
  assert.deepEqual(await retention("--days", "default"), none);
  const { code, stderr } = await line.run(["orgs", "retention", "acme", "--days", "40000"]);
  assert.equal(code, 1);
  assert.match(stderr, /a whole number from 1 to 36525, or default\. /);
});

test("setting nothing is an error", async () => {
  for (const command of ["policy", "limits"]) {
    const { code, stderr } = await line.run([command, "set", "--org", "acme"]);
    assert.equal(code, 1);
    assert.match(stderr, /^error: nothing to set: give --[^\n]+\n$/);
  }
});
