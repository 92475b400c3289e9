// turngate plan FILE, apply FILE and orgs file, in the order in which an operator uses them.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();

const ACME = `organizations:
  - name: Acme
    plan: true
    payment_method: true
    policy: { deny_models: [echo] }
    members: [{ email: ada@acme.test, role: owner }]
    keys:
      - { name: chat backend, member: ada@acme.test }
    budgets:
      - { scope: key, id: chat backend, period: day, limit: 2.5 }
`;

const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);

test("apply makes what plan shows, once, and keeps the secrets in a file of one's own", async () => {
  write("acme.yaml", ACME);
  const made = await line.run(["apply", "acme.yaml", "--secrets", "secrets.jsonl"]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.equal(
    made.stdout,
    `+ organization "Acme": plan yes, payment_method yes, policy.deny_models [simulated/echo]
+ Acme: member ada@acme.test: role owner
+ Acme: key "chat backend": member ada@acme.test, permissions all, unanswered_calls refuse
+ Acme: budget key "chat backend" (day): limit 2.5
4 changes made.
`,
  );
  const secrets = join(line.folder, "secrets.jsonl");
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
  assert.match(
    readFileSync(secrets, "utf8"),
    /^\{"organization":"Acme","id":"key_[^"]+","name":"chat backend","secret":"sk_[^"]+"\}\n$/,
  );
  const planned = await line.run(["plan", "acme.yaml"]);
  assert.deepEqual(planned, { code: 0, stdout: "No change.\n", stderr: "" });
  const again = await line.json("apply", "acme.yaml", "--secrets", "secrets.jsonl");
  assert.deepEqual(again, { changes: [], keys: [], unlisted: [] });
  write("other.yaml", "organizations: [{ name: Acme, plan: false, keys: [{ name: other }] }]\n");
  const rejected = await line.run(["apply", "other.yaml", "--secrets", "secrets.jsonl"]);
  assert.deepEqual([rejected.code, rejected.stdout], [1, ""]);
  assert.match(rejected.stderr, /^error: secrets\.jsonl exists already and is left as it is; name a new file\.$/m);
  assert.equal((await line.run(["plan", "acme.yaml"])).stdout, "No change.\n");
});

test("plan shows what was changed by hand and exits with 2; with --prune it names what it would revoke", async () => {
  await line.json("keys", "create", "--org", "Acme", "--name", "by hand");
  const { code, stdout, stderr } = await line.run(["plan", "acme.yaml", "--prune"]);
  assert.deepEqual([code, stderr], [2, ""]);
  assert.match(stdout, /^- Acme: key "by hand" \(key_\w+\): revoke\n1 change; `turngate apply` makes them\.\n$/);
  const left = await line.run(["plan", "acme.yaml", "--json"]);
  assert.equal(left.code, 0);
  assert.deepEqual(JSON.parse(left.stdout), {
    changes: [],
    unlisted: [{ object: "key", organization: "Acme", name: "by hand" }],
  });
});

test("credits are added up to what the file says, once, and again after some were spent", async () => {
  write("credits.yaml", "organizations: [{ name: Acme, credits: { at_least: 12.5 } }]\n");
  const planned = await line.run(["plan", "credits.yaml"]);
  assert.deepEqual([planned.code, planned.stderr], [2, ""]);
  assert.match(planned.stdout, /^~ Acme: credits: balance 0 → 12\.5\n1 change; /);
  const balance = async () => (await line.json<{ credits: number }>("credits", "show", "--org", "Acme")).credits;
  assert.match((await line.run(["apply", "credits.yaml"])).stdout, /^1 change made\.$/m);
  assert.equal(await balance(), 12.5);
  assert.match((await line.run(["apply", "credits.yaml"])).stdout, /No change\.\n$/);
  write("credits.yaml", "organizations: [{ name: Acme, credits: { at_least: 20 } }]\n");
  await line.run(["apply", "credits.yaml"]);
  assert.equal(await balance(), 20);
});

test("orgs file writes a file that changes nothing", async () => {
  await line.run(["orgs", "file", "--org", "Acme", "--write", "exported.yaml"]);
  assert.equal((await line.run(["plan", "exported.yaml", "--prune"])).stdout, "No change.\n");
  const exported = await line.json<{ organizations: { name: string }[] }>("orgs", "file");
  assert.deepEqual(
    exported.organizations.map(({ name }) => name),
    ["Acme"],
  );
  const again = await line.run(["orgs", "file", "--write", "exported.yaml"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^error: exported\.yaml exists already/);
});

test("a name that looks like a variable stays a name: it is somebody else's, and the variable may be a secret", async () => {
  const names = ["${TURNGATE_TOKEN}", "$${TURNGATE_TOKEN}", "{ ${A", "$$$"];
  await line.json("orgs", "create", "--name", "Mallory");
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await line.json("keys", "create", "--org", "Mallory", "--name", name);
  }
  await line.run(["orgs", "file", "--org", "Mallory", "--write", "mallory.yaml"]);
  write("mallory.json", (await line.run(["orgs", "file", "--org", "Mallory", "--json"])).stdout);
  for (const file of ["mallory.yaml", "mallory.json"]) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { stdout, stderr } = await line.run(["plan", file, "--prune"], { TURNGATE_TOKEN: "adm_secret" });
    assert.match(stdout, /No change\.\n$/, stdout + stderr);
    assert.ok(!(stdout + stderr).includes("adm_secret"));
  }
  await line.json("orgs", "delete", "Mallory", "--confirm", "Mallory");
});

test("apply into a pipe changes nothing while it would print a secret, and asks for --secrets", async () => {
  write("more.yaml", "organizations: [{ name: Acme, plan: false, keys: [{ name: more }] }]\n");
  for (const words of [[], ["--json"]]) {
    const { code, stdout, stderr } = await line.run(["apply", "more.yaml", ...words]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^error: the secrets of new keys are printed on a terminal only, .*: --secrets FILE\. /);
  }
  assert.equal((await line.run(["plan", "acme.yaml"])).code, 0);
  write("without.yaml", "organizations: [{ name: Acme, limits: { open_streams: 7 } }]\n");
  assert.match((await line.run(["apply", "without.yaml"])).stdout, /^1 change made\.$/m);
});

test("apply without --secrets shows the secret of a new key once on a terminal", async (context) => {
  write("more.yaml", "organizations: [{ name: Acme, keys: [{ name: more }] }]\n");
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, "isTTY");
  context.after(() => {
    if (isTTY === undefined) Reflect.deleteProperty(process.stdout, "isTTY");
    else Object.defineProperty(process.stdout, "isTTY", isTTY);
  });
  Object.defineProperty(process.stdout, "isTTY", { value: true, configurable: true });
  const { stdout } = await line.run(["apply", "more.yaml"]);
  assert.match(
    stdout,
    /^\+ Acme: key "more": .*\n {4}key_\w+ {2}sk_\w+\n {2}Acme, not in the file: key [^\n]+\n1 change made\.\n$/,
  );
});

const wrong: readonly (readonly [string, string, RegExp])[] = [
  [
    "a mistyped key",
    "organizations:\n  - name: A\n    polices: {}\n",
    /^error: wrong.yaml:3: there is no key "polices" in organizations\[0\]; allowed: name, id, plan, /,
  ],
  [
    "a wrong role",
    "organizations:\n  - name: A\n    members:\n      - { email: a@b, role: boss }\n",
    /^error: wrong.yaml:4: organizations\[0\]\.members\[0\]\.role is "boss"; allowed: one of owner, admin, member/,
  ],
  [
    "no e-mail address",
    "organizations:\n  - name: A\n    members:\n      - { email: ab, role: owner }\n",
    /^error: wrong.yaml:4: organizations\[0\]\.members\[0\]\.email is "ab"; allowed: an e-mail address, with letters outside ASCII in lower case\.\n$/,
  ],
  [
    "a negative limit",
    '{"organizations": [{"name": "A", "budgets": [{"scope": "response", "limit": -1}]}]}',
    /^error: wrong.yaml:1: organizations\[0\]\.budgets\[0\]\.limit is -1; allowed: a number of credits, 0 or more/,
  ],
  ["no organizations", "{}", /^error: wrong.yaml:1: the file lacks organizations\.\n$/],
  [
    "what can't change",
    "organizations:\n  - name: Acme\n    keys:\n      - { name: chat backend, permissions: read }\n",
    /^error: wrong.yaml:4: organizations\[0\]\.keys\[0\]\.permissions is read, but the key has all, which can't change/,
  ],
];

test("a wrong file is one sentence with line and field, and changes nothing", async () => {
  const countEntries = async () => (await line.json<{ data: object[] }>("audit", "list")).data.length;
  const before = await countEntries();
  for (const [what, text, expected] of wrong) {
    write("wrong.yaml", text);
    const { code, stdout, stderr } = await line.run(["apply", "wrong.yaml"]);
    assert.deepEqual([code, stdout], [1, ""], what);
    assert.match(stderr, expected, what);
  }
  assert.match(
    (await line.run(["plan", "nowhere.yaml"])).stderr,
    /^error: nowhere.yaml can't be read \(no such file or directory\)\.\n$/,
  );
  assert.equal(await countEntries(), before);
});
