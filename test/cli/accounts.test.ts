// The account commands, in the order in which an operator uses them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";
import { nameKeyLimits, NO_KEY_LIMITS } from "../../src/ports/store/limits.ts";

const line = commandLineForFile();

const NO_RULES = {
  policy: { allow_models: null, deny_models: [], tool_calls_per_turn: null },
  limits: {
    create_per_minute: null,
    retrieve_per_minute: null,
    delete_per_minute: null,
    tokens_per_minute: null,
    open_streams: null,
    concurrent_turns: null,
  },
};

interface Identified {
  readonly id: string;
}

async function rejected(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await line.run(words);
  assert.equal(code, 1, stdout);
  assert.equal(stdout, "");
  assert.match(stderr, /^error: [^\n]+\n$/);
  return stderr;
}

test("a new organization has no plan, payment method and credits, and each can be added", async () => {
  const made = await line.json<Identified>("orgs", "create", "--name", "acme");
  assert.match(made.id, /^org_[0-9a-f]{32}$/);
  const acme = { id: made.id, name: "acme", plan: false, payment_method: false, credits: 0, held: 0, ...NO_RULES };
  assert.deepEqual(made, acme);
  assert.match(await rejected("orgs", "create", "--name", "acme"), /acme/);

  assert.deepEqual(await line.json("payment-method", "set", "--org", "acme"), { ...acme, payment_method: true });
  assert.deepEqual(await line.json("plan", "start", "--org", made.id), { ...acme, payment_method: true, plan: true });
  assert.equal(
    (await line.json<{ credits: number }>("credits", "add", "--org", "acme", "--amount", "12.000001")).credits,
    12.000001,
  );
  assert.equal((await line.json<{ credits: number }>("credits", "show", "--org", "acme")).credits, 12.000001);
  await line.json("payment-method", "clear", "--org", "acme");
  assert.deepEqual(await line.json("plan", "stop", "--org", "acme"), { ...acme, credits: 12.000001 });
  assert.match(await rejected("orgs", "show", "nobody"), /there is no organization "nobody"/);
});

test("an organization created with credits has a plan and a payment method, so it is served at once", async () => {
  const made = await line.json<object>("orgs", "create", "--name", "served", "--credits", "12.000001");
  assert.partialDeepStrictEqual(made, { name: "served", plan: true, payment_method: true, credits: 12.000001 });
  for (const [credits, expected] of [
    ["0", /--credits.*Allowed: a number above 0 to /],
    ["-1", /--credits.*Allowed: a number above 0 to /],
    ["much", /--credits.*Allowed: a number above 0 to /],
    ["0.0000001", /credits is 1e-7; allowed: a number with at most six decimals/],
  ] as const)
    assert.match(await rejected("orgs", "create", "--name", "refused", "--credits", credits), expected);
  assert.match(await rejected("orgs", "show", "refused"), /there is no organization/);
});

test("rules are set one by one and removed", async () => {
  const { policy } = await line.json<typeof NO_RULES>(
    "policy",
    "set",
    "--org",
    "acme",
    "--allow-model",
    "simulated/echo",
    "group-a",
    "--tool-calls-per-turn",
    "3",
  );
  assert.deepEqual(policy, {
    allow_models: ["simulated/echo", "simulated/group-a"],
    deny_models: [],
    tool_calls_per_turn: 3,
  });
  assert.match(await rejected("policy", "set", "--org", "acme", "--deny-model", "gpt"), /There is no model "gpt"/);
  assert.deepEqual(
    (await line.json<typeof NO_RULES>("policy", "set", "--org", "acme", "--clear")).policy,
    NO_RULES.policy,
  );

  const limits = await line.json<typeof NO_RULES>(
    "limits",
    "set",
    "--org",
    "acme",
    "--create-per-minute",
    "5",
    "--open-streams",
    "0",
    "--concurrent-turns",
    "3",
  );
  const set = { create_per_minute: 5, open_streams: 0, concurrent_turns: 3 };
  assert.deepEqual(limits.limits, { ...NO_RULES.limits, ...set });
  const kept = await line.json<typeof NO_RULES>("limits", "set", "--org", "acme", "--open-streams", "default");
  assert.deepEqual(kept.limits, { ...NO_RULES.limits, ...set, open_streams: null });
});

test("members are added, change their role and are removed; the last owner stays", async () => {
  const ada = await line.json<Identified>(
    "members",
    "add",
    "--org",
    "acme",
    "--email",
    "ada@acme.test",
    "--role",
    "owner",
  );
  assert.match(ada.id, /^mem_/);
  assert.deepEqual(ada, { id: ada.id, email: "ada@acme.test", role: "owner" });
  const bob = await line.json<Identified>(
    "members",
    "add",
    "--org",
    "acme",
    "--email",
    "bob@acme.test",
    "--role",
    "member",
  );
  assert.deepEqual(await line.json("members", "role", bob.id, "--org", "acme", "--role", "admin"), {
    ...bob,
    role: "admin",
  });
  assert.deepEqual(await line.json("members", "remove", "--org", "acme", "--email", "Bob@Acme.test"), {
    ...bob,
    role: "admin",
  });
  const list = ["members", "list", "--org", "acme"];
  assert.deepEqual(await line.json(...list), { data: [ada], has_more: false });
  await rejected("members", "remove", ada.id, "--org", "acme");
  assert.match(await rejected("members", "remove", bob.id, "--org", "acme"), /there is no member mem_/);
  assert.match(
    await rejected("members", "remove", "bob@acme.test", "--org", "acme"),
    /there is no member bob@acme\.test/,
  );
  const nobody = ["members", "remove", "--org", "acme"];
  assert.match(await rejected(...nobody), /name the member once: as the argument, or with --member or --email/);
  const sessions = [ada.id, "--org", "acme"];
  assert.deepEqual(await line.json("members", "sessions", ...sessions), { data: [] });
  assert.deepEqual(await line.json("members", "end-sessions", ...sessions), { done: true });
  assert.match(
    await rejected("members", "end-sessions", ...sessions, "--session", "ses_1"),
    /there is no session ses_1/,
  );
});

test("a key is created, listed without its secret, rotated and revoked", async () => {
  const made = await line.json<{ id: string; secret: string }>(
    "keys",
    "create",
    "--org",
    "acme",
    "--name",
    "web app",
    "--member",
    "ada@acme.test",
    "--permissions",
    "read",
  );
  assert.match(made.secret, /^sk_[0-9A-Za-z]{50}$/);
  assert.deepEqual(made, { id: made.id, name: "web app", secret: made.secret });

  const rotated = await line.json<{ id: string; secret: string; old_secret_valid_until: number }>(
    "keys",
    "rotate",
    made.id,
    "--grace",
    "1h",
  );
  assert.equal(rotated.id, made.id);
  assert.notEqual(rotated.secret, made.secret);
  assert.ok(Math.abs(rotated.old_secret_valid_until - (Date.now() / 1000 + 3600)) < 60);

  const revoked = await line.json<{ id: string; revoked_at: number }>("keys", "revoke", made.id);
  assert.ok(Math.abs(revoked.revoked_at - Date.now() / 1000) < 60);
  assert.deepEqual(await line.json("keys", "revoke", made.id), revoked);
  await rejected("keys", "rotate", made.id);

  assert.match(await rejected("keys", "revoke", "key_none"), /there is no key key_none/);
  const { data } = await line.json<{ data: readonly Record<string, unknown>[] }>("keys", "list", "--org", "acme");
  const [listed] = data;
  assert.deepEqual(
    { ...listed, member: null, created: 0 },
    {
      id: made.id,
      name: "web app",
      member: null,
      permissions: "read",
      unanswered_calls: "refuse",
      limits: nameKeyLimits(NO_KEY_LIMITS),
      created: 0,
      revoked_at: revoked.revoked_at,
      last_used_at: null,
      old_secret_valid_until: null,
    },
  );
});

test("--unanswered-calls sets the default of a key, at creation and later", async () => {
  const create = ["keys", "create", "--org", "acme", "--name", "agents"] as const;
  const made = await line.json<{ id: string }>(...create, "--unanswered-calls", "drop");
  const shown = async () => {
    const { data } = await line.json<{ data: readonly Record<string, unknown>[] }>("keys", "list", "--org", "acme");
    return data.find(({ id }) => id === made.id);
  };
  assert.equal((await shown())?.["unanswered_calls"], "drop");
  const updated = await line.json<Record<string, unknown>>("keys", "update", made.id, "--unanswered-calls", "refuse");
  assert.deepEqual(
    [updated["unanswered_calls"], { ...updated, last_used_at: null, old_secret_valid_until: null }],
    ["refuse", await shown()],
  );
  await rejected("keys", "update", made.id, "--unanswered-calls", "ignore");
  await rejected("keys", "update", made.id);
  await rejected("keys", "update", "key_none", "--unanswered-calls", "drop");
  await line.json("keys", "update", made.id, "--unanswered-calls", "refuse");
  interface Entries {
    data: { action: string; before: unknown; after: unknown }[];
  }
  const { data: entries } = await line.json<Entries>("audit", "list", "--org", "acme");
  const updates = entries.filter(({ action }) => action === "key.update");
  assert.deepEqual(
    updates.map((entry) => [entry.before, entry.after]),
    [[{ unanswered_calls: "drop" }, { unanswered_calls: "refuse" }]],
  );
});

test("the data of an organization is exported into a new file of the owner's alone, with a manifest", async () => {
  const { id } = await line.json<Identified>("orgs", "create", "--name", "asking", "--credits", "5");
  await line.json("keys", "create", "--org", "asking", "--name", "web app");
  const file = join(line.folder, "asking.jsonl");
  interface Exported {
    readonly organization: string;
    readonly lines: Readonly<Record<string, number>>;
    readonly sha256: string;
  }
  const shown = await line.json<Exported>("orgs", "export-data", "asking", file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const written = readFileSync(file, "utf8");
  const start = written.lastIndexOf("\n", written.length - 2) + 1;
  const { line: kind, ...manifest } = JSON.parse(written.slice(start));
  assert.deepEqual([kind, { file, ...manifest }], ["manifest", shown]);
  assert.equal(shown.sha256, createHash("sha256").update(written.slice(0, start)).digest("hex"));
  assert.deepEqual([shown.organization, shown.lines["key"], shown.lines["member"]], [id, 1, 0]);
  const kinds = written
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).line);
  assert.equal(
    kinds.length,
    Object.values(shown.lines).reduce((sum, lines) => sum + lines, 1),
  );
  assert.match(
    await rejected("orgs", "export-data", "asking", file),
    /exists already and is left as it is; name a new file/,
  );
  const { data } = await line.json<{ data: { action: string }[] }>("audit", "list", "--org", "asking");
  assert.equal(data[0]?.action, "organization.export");
});

test("an organization is deleted by its name, erased, and listed as deleted", async () => {
  const { id } = await line.json<Identified>("orgs", "create", "--name", "leaving", "--credits", "5");
  await line.json("members", "add", "--org", "leaving", "--email", "leaving@acme.test", "--role", "owner");
  assert.match(await rejected("orgs", "delete", "leaving", "--confirm", id), /confirm is not the organization's name/);
  interface Deleted extends Identified {
    readonly name: string;
    readonly credits: number;
    readonly deleted_at: number;
    readonly erased_at: number | null;
  }
  const deleted = await line.json<Deleted>("orgs", "delete", "leaving", "--confirm", "leaving");
  assert.deepEqual([deleted.id, deleted.name, deleted.credits], [id, id, 5]);
  assert.ok((deleted.erased_at ?? 0) >= deleted.deleted_at);
  assert.deepEqual(await line.json("orgs", "list", "--deleted"), { data: [deleted] });
  assert.match(await rejected("orgs", "show", "leaving"), /there is no organization "leaving"/);
  assert.equal((await line.run(["audit", "verify"])).code, 0);
  assert.equal((await line.run(["ledger", "check"])).code, 0);
});

test("lists and records are readable without --json", async () => {
  const { stdout } = await line.run(["orgs", "list"]);
  assert.match(stdout, /^id +name +plan +payment_method +credits/);
  assert.match(stdout, /\norg_\w+ +acme +no +no +12\.000001/);
});
