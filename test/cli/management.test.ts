// Tokens, sign-in links and the audit log on the command line.
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { commandLineForFile } from "./command-line.ts";

const line = commandLineForFile();

interface Entry {
  readonly id: number;
  readonly actor: unknown;
  readonly action: string;
  readonly target: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly hash: string;
}

interface Entries {
  readonly data: readonly Entry[];
}

async function rejected(...words: readonly string[]): Promise<string> {
  const { code, stderr } = await line.run(words);
  assert.equal(code, 1);
  assert.match(stderr, /^error: [^\n]+\n$/);
  return stderr;
}

const acme = await line.json<{ id: string }>("orgs", "create", "--name", "acme");

test("a token is created, listed without its secret and revoked", async () => {
  const made = await line.json<{ id: string; secret: string }>(
    "tokens",
    "create",
    "--scope",
    "operator",
    "--name",
    "ops",
  );
  assert.match(made.secret, /^adm_[0-9A-Za-z]{50}$/);
  assert.deepEqual(made, { id: made.id, name: "ops", secret: made.secret });
  const owners = await line.json<{ id: string }>(
    "tokens",
    "create",
    "--org",
    "acme",
    "--role",
    "owner",
    "--name",
    "own",
  );
  const { data: listed } = await line.json<{ data: Record<string, unknown>[] }>("tokens", "list");
  assert.deepEqual(
    listed.map(({ id, organization, role }) => ({ id, organization, role })),
    [
      { id: made.id, organization: null, role: "operator" },
      { id: owners.id, organization: acme.id, role: "owner" },
    ],
  );
  assert.ok(!JSON.stringify(listed).includes("adm_"));
  const { data: own } = await line.json<{ data: { id: string }[] }>("tokens", "list", "--org", "acme");
  assert.deepEqual(
    own.map(({ id }) => id),
    [owners.id],
  );
  const revoked = await line.json<{ revoked_at: number }>("tokens", "revoke", made.id);
  assert.ok(Math.abs(revoked.revoked_at - Date.now() / 1000) < 60);
  assert.deepEqual(await line.json("tokens", "revoke", made.id), revoked);
});

test("a token may be read-only and expire", async () => {
  const limits = ["--permissions", "read", "--expires", "2099-01-31T12:00Z"];
  const { id } = await line.json<{ id: string }>(
    "tokens",
    "create",
    "--scope",
    "operator",
    "--name",
    "plan",
    ...limits,
  );
  const { data } = await line.json<{ data: Record<string, unknown>[] }>("tokens", "list");
  const { permissions, expires_at } = data.find((token) => token["id"] === id) ?? {};
  assert.deepEqual([permissions, expires_at], ["read", Date.UTC(2099, 0, 31, 12) / 1000]);
  assert.match((await line.run(["tokens", "list"])).stdout, /plan .* read .* 2099-01-31T12:00:00\.000Z/);
  const late = ["tokens", "create", "--scope", "operator", "--name", "late", "--expires"];
  assert.match(
    await rejected(...late, "2020-01-31T12:00Z"),
    /expires_at is 2020-01-31T12:00:00.000Z; allowed: a time in/,
  );
  assert.match(await rejected(...late, "tomorrow"), /Allowed: a day or a time, in UTC unless/);
});

test("a token without a named owner is an error", async () => {
  assert.match(await rejected("tokens", "create", "--name", "nobody's"), /give --org and --role, or --scope/);
  assert.match(await rejected("tokens", "create", "--name", "half", "--org", "acme"), /give --role, or --scope/);
  assert.match(
    await rejected("tokens", "create", "--name", "both", "--scope", "operator", "--org", "acme"),
    /--org does not go with --scope/,
  );
  assert.match(
    await rejected("tokens", "create", "--name", "x", "--scope", "operator"),
    /Allowed: a string of 3 to 200 characters/,
  );
  await rejected("tokens", "revoke", "tok_none");
});

test("a sign-in link belongs to a member, names the management interface and is shown once", async () => {
  await line.json("members", "add", "--org", "acme", "--email", "Ada@Acme.Test", "--role", "owner");
  const link = await line.json<{ secret: string; url: string; expires_at: number; member: { email: string } }>(
    "members",
    "sign-in-link",
    "ada@acme.test",
    "--org",
    "acme",
  );
  assert.equal(link.member.email, "ada@acme.test");
  assert.equal(link.url, `http://127.0.0.1:8081/sign-in#${link.secret}`);
  assert.ok(Math.abs(link.expires_at - (Date.now() / 1000 + 24 * 3600)) < 60);
  assert.match(await rejected("members", "sign-in-link", "nobody", "--org", "acme"), /there is no member nobody/);
});

test("an operator's link names the operator, and a session is listed and ended", async () => {
  const link = await line.json<{ operator: object; secret: string; url: string; expires_at: number }>(
    "operator",
    "sign-in-link",
  );
  assert.deepEqual(link.operator, { name: userInfo().username });
  assert.equal(link.url, `http://127.0.0.1:8081/sign-in?as=operator#${link.secret}`);
  assert.ok(Math.abs(link.expires_at - (Date.now() / 1000 + 15 * 60)) < 60);
  assert.deepEqual(await line.json("operator", "sessions"), { data: [] });
  const database = new DatabaseSync(join(line.folder, "data", "turngate.db"));
  const now = Date.now();
  database
    .prepare("insert into sessions (id, operator, hash, started_at_ms, used_at_ms) values ('ses_1', 'Ada', 'h', ?, ?)")
    .run(now, now);
  database.close();
  const { data } = await line.json<{ data: { operator: string; current: boolean }[] }>("operator", "sessions");
  const [session] = data;
  assert.deepEqual([session?.operator, session?.current], ["Ada", false]);
  assert.deepEqual(await line.json("operator", "end-session", "ses_1"), { done: true });
  assert.match(await rejected("operator", "end-session", "ses_1"), /there is no session ses_1/);
  assert.match(await rejected("operator", "sign-in-link", "--name", " "), /name is ""/);
});

test("a top-up repeated with its transaction id adds nothing more", async () => {
  const words = ["credits", "add", "--org", "acme", "--amount", "2.5", "--transaction", "invoice-7"];
  assert.equal((await line.json<{ credits: number }>(...words)).credits, 2.5);
  assert.equal((await line.json<{ credits: number }>(...words)).credits, 2.5);
});

test("an organization is renamed", async () => {
  assert.equal((await line.json<{ name: string }>("orgs", "rename", "acme", "--name", "Acme")).name, "Acme");
  assert.match(await rejected("orgs", "rename", "Acme", "--name", " "), /name is ""/);
});

test("every change is one entry with its actor, and no secret", async () => {
  const key = await line.json<{ id: string; secret: string }>("keys", "create", "--org", "Acme", "--name", "web app");
  await line.json("keys", "revoke", key.id);
  await line.json("keys", "revoke", key.id);
  const { data: entries } = await line.json<Entries>("audit", "list", "--org", "Acme");
  assert.deepEqual(
    entries.map(({ action }) => action),
    [
      "key.revoke",
      "key.create",
      "organization.rename",
      "credits.add",
      "member.sign_in_link",
      "member.add",
      "token.create",
      "organization.create",
    ],
  );
  for (const { actor } of entries) assert.deepEqual(actor, { kind: "cli", id: userInfo().username });
  const [, created, renamed] = entries;
  assert.deepEqual(created?.after, { name: "web app", member: null, permissions: "all", unanswered_calls: "refuse" });
  assert.deepEqual([renamed?.before, renamed?.after], [{ name: "acme" }, { name: "Acme" }]);
  assert.doesNotMatch(JSON.stringify(entries), /sk_|adm_/);
});

test("with --all a list is whole, and --limit does not go with it", async () => {
  const words = ["audit", "list", "--org", "Acme"];
  const { data } = await line.json<Entries>(...words, "--limit", "500");
  assert.ok(data.length > 2);
  const part = await line.json<Entries & { has_more: boolean }>(...words, "--limit", "2");
  assert.deepEqual([part.data.length, part.has_more], [2, true]);
  const more = /^There are more: give --all, or a larger --limit\.$/m;
  assert.match((await line.run([...words, "--limit", "2"])).stdout, more);
  assert.doesNotMatch((await line.run([...words, "--all"])).stdout, more);
  assert.deepEqual(await line.json(...words, "--all"), { data, has_more: false, older: null });
  const members = ["members", "list", "--org", "Acme", "--all"];
  assert.equal((await line.json<{ data: object[] }>(...members)).data.length, 1);
  assert.match(await rejected(...words, "--all", "--limit", "2"), /--all' cannot be used with option '--limit/);
});

test("entries of the audit log are found by action, actor and target", async () => {
  const list = async (...filter: readonly string[]) =>
    (await line.json<Entries>("audit", "list", "--org", "Acme", ...filter)).data.map(({ action }) => action);
  const [created, ...others] = (await line.json<Entries>("audit", "list", "--action", "key.create")).data;
  assert.ok(created?.target);
  assert.deepEqual(others, []);
  assert.deepEqual(await list("--target", created.target), ["key.revoke", "key.create"]);
  assert.deepEqual(await list("--target", created.target, "--limit", "1"), ["key.revoke"]);
  assert.deepEqual(await list("--target", created.target, "--action", "key.create"), ["key.create"]);
  assert.equal((await list("--actor", userInfo().username)).length, (await list()).length);
  assert.deepEqual(await list("--actor", "nobody"), []);
  assert.match((await line.run(["audit", "list", "--actor", "nobody"])).stdout, /There is no such entry\./);
  assert.match(
    (await line.run(["audit", "list", "--action", "key"])).stderr,
    /--action .*'key' is invalid.*key\.create/,
  );
});

test("audit verify finds an earlier head, and detects tampering", async () => {
  const { head, checked } = await line.json<{ head: string; checked: number }>("audit", "verify");
  assert.ok(checked > 5);
  await line.json("payment-method", "set", "--org", "Acme");
  assert.equal((await line.run(["audit", "verify", "--head", head])).code, 0);
  assert.match(await rejected("audit", "verify", "--head", "0".repeat(64)), /does not contain the given head/);

  const database = new DatabaseSync(join(line.folder, "data", "turngate.db"));
  database.exec("drop trigger audit_log_never_changes");
  database.exec("update audit_log set actor_id = 'somebody else' where id = 3");
  database.close();
  const { code, stdout, stderr } = await line.run(["audit", "verify", "--json"]);
  assert.deepEqual([code, JSON.parse(stdout).broken_at, JSON.parse(stdout).has_head], [1, 3, null]);
  assert.match(stderr, /entry 3 was changed after it was written/);
});
