// A running service's next request sees budgets and credits set on the command line, which in turn sees what the
// service runs and spends.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openCommandLine } from "./command-line.ts";
import { patiently } from "./patiently.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const line = openCommandLine();
// 10 USD per million tokens of any kind: 1000 credits.
writeFileSync(
  join(line.folder, "turngate.yaml"),
  `providers:
  simulated: { type: simulated }
models:
  - id: simulated/priced
    provider: simulated
    upstream_model: echo
    prices: { input: 10, output: 10 }
`,
);

let service: ServiceProcess;

before(async () => {
  service = await startService(line);
});

after(async () => {
  service.child.kill("SIGKILL");
  await service.ended;
  line.remove();
});

interface Answered {
  readonly id: string;
  readonly status: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly error: { readonly code: string; readonly message: string } | null;
}

async function create(key = service.firstKey): Promise<{ status: number; body: Answered }> {
  const reply = await patiently(() =>
    fetch(`${service.baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "simulated/priced", input: "How much is this?" }),
    }),
  );
  return { status: reply.status, body: (await reply.json()) as Answered };
}

/** The entries of a list. */
async function listed<Entry>(...words: readonly string[]): Promise<readonly Entry[]> {
  return (await line.json<{ data: readonly Entry[] }>(...words)).data;
}

interface Budget {
  readonly scope: string;
  readonly limit: number;
  readonly spent: number;
  readonly held: number;
}

test("usage, budgets and balance show what a response cost, and the books agree", async () => {
  const { status, body } = await create();
  assert.equal(status, 200);
  const tokens = body.usage.input_tokens + body.usage.output_tokens;
  const credits = (tokens * 1000) / 1_000_000;
  const [sum] = await listed<{ responses: number; credits: number }>("usage", "--org", "default");
  assert.deepEqual([sum?.responses, sum?.credits], [1, credits]);
  const byModel = await listed<{ model: string; credits: number }>("usage", "--org", "default", "--by", "model");
  assert.deepEqual(
    byModel.map(({ model, credits: spent }) => [model, spent]),
    [["simulated/priced", credits]],
  );
  const scope = ["--scope", "organization-day", "--limit", "100"];
  const { spent, held } = await line.json<Budget>("budgets", "set", "--org", "default", ...scope);
  assert.deepEqual([spent, held], [credits, 0]);
  assert.equal(
    (await line.json<{ credits: number }>("credits", "show", "--org", "default")).credits,
    1_000_000 - credits,
  );
  assert.equal((await line.run(["ledger", "check"])).code, 0);
});

test("a budget of 0 rejects the next response, a higher one admits it again", async () => {
  const { data } = await line.json<{ data: { id: string }[] }>("keys", "list", "--org", "default");
  const [key] = data;
  const ofKey = ["--org", "default", "--scope", "key", "--id", key?.id ?? ""];
  await line.json("budgets", "set", ...ofKey, "--limit", "0");
  const rejected = await create();
  assert.equal(rejected.status, 429);
  assert.equal(rejected.body.error?.code, "scope_budget_exceeded");
  await line.json("budgets", "set", ...ofKey, "--limit", "50");
  assert.equal((await create()).status, 200);
  const { data: budgets } = await line.json<{ data: Budget[] }>("budgets", "list", "--org", "default");
  const [sum] = await listed<{ responses: number; credits: number }>("usage", "--org", "default", "--by", "key");
  assert.equal(sum?.responses, 2);
  assert.deepEqual(
    budgets.map(({ scope, spent }) => [scope, spent]),
    [
      ["organization-day", sum?.credits],
      ["key", sum?.credits],
    ],
  );
  await line.json("budgets", "clear", ...ofKey);
  assert.equal((await line.run(["ledger", "check"])).code, 0);
});

test("the same commands work on the running service, with its URL and a token", async () => {
  const organization = await line.json<{ id: string }>("orgs", "show", "default");
  const mint = async (...scope: string[]) =>
    (await line.json<{ secret: string }>("tokens", "create", "--name", "remote", ...scope)).secret;
  const [operator, admin, member] = [
    await mint("--scope", "operator"),
    await mint("--org", "default", "--role", "admin"),
    await mint("--org", "default", "--role", "member"),
  ];
  const url = service.manageOrigin;
  const name = ["--org", "default", "--scope", "organization", "--period", "month"];
  // Elsewhere there is no store: everything comes from the service.
  const elsewhere = openCommandLine();
  try {
    const at = (token: string) => ["--url", url, "--token", token];
    const set = await elsewhere.json<Budget>("budgets", "set", ...name, "--limit", "7.5", ...at(admin));
    assert.equal(set.limit, 7.5);
    const here = await line.json("budgets", "list", "--org", "default");
    assert.deepEqual(await elsewhere.json("budgets", "list", "--org", organization.id, ...at(operator)), here);
    await elsewhere.json("budgets", "try", ...name, "--limit", "1", ...at(operator));
    await elsewhere.json("budgets", "clear", ...name, ...at(operator));
    assert.deepEqual(await elsewhere.json("orgs", "show", "default", ...at(admin)), organization);
    assert.deepEqual(await elsewhere.json("credits", "show", "--org", "default", ...at(member)), organization);
    const eve = ["--email", "eve@acme.test"];
    const added = await elsewhere.json<object>(
      "members",
      "add",
      "--org",
      "default",
      ...eve,
      "--role",
      "member",
      ...at(admin),
    );
    const promoted = await elsewhere.json(
      "members",
      "role",
      "--org",
      "default",
      ...eve,
      "--role",
      "admin",
      ...at(admin),
    );
    assert.deepEqual(promoted, { ...added, role: "admin" });
    const named = ["--org", "default", "--name", "remote"];
    const { id: keyId } = await elsewhere.json<{ id: string }>("keys", "create", ...named, ...at(admin));
    const revoked = await elsewhere.json<{ revoked_at: number }>("keys", "revoke", keyId, ...at(admin));
    assert.deepEqual(
      await elsewhere.json("keys", "revoke", keyId, "--org", "default", ...at(operator)),
      revoked,
      "a token of no organization needs --org",
    );
    const unnamed = await elsewhere.run(["keys", "revoke", keyId, ...at(operator)]);
    assert.match(unnamed.stderr, /^error: --org is needed: the token belongs to no organization/);
    const made = await elsewhere.json<{ id: string }>("orgs", "create", "--name", "remote", ...at(operator));
    const confirmed = ["--confirm", "remote", ...at(operator)];
    const deleted = await elsewhere.json<{ id: string }>("orgs", "delete", "remote", ...confirmed);
    assert.equal(deleted.id, made.id);
    const shown = await elsewhere.json<{ deleted_at: number }>("orgs", "show", made.id, ...at(operator));
    assert.ok(shown.deleted_at > 0, "a deleted one, by its id");
    const { data } = await elsewhere.json<{ data: { id: string }[] }>("orgs", "list", "--deleted", ...at(operator));
    assert.deepEqual(
      data.map(({ id }) => id),
      [made.id],
    );
    const link = await elsewhere.json<{ operator: object }>("operator", "sign-in-link", ...at(operator));
    assert.deepEqual(link.operator, { name: userInfo().username });
    assert.deepEqual(await elsewhere.json("operator", "sessions", ...at(operator)), { data: [] });
    const { models } = await elsewhere.json<{ models: object }>("config", "show", ...at(operator));
    assert.deepEqual(models, { configured: 1, built_in: true });
    const failures: readonly (readonly [string, readonly string[], RegExp])[] = [
      ["list", ["--org", "default", ...at(member)], /^error: The role member may not do this/],
      ["list", ["--org", "default", ...at("adm_wrong")], /^error: The token is not valid/],
      ["list", ["--org", "nobody", ...at(operator)], /no organization "nobody" that the token may see/],
      ["list", ["--org", "org_none", ...at(operator)], /^error: there is no organization "org_none"/],
      ["list", ["--org", "default", "--url", url], /--url needs --token/],
      ["list", ["--org", "default", "--token", admin], /--token needs --url/],
      ["decline", ["inc_none", "--org", "default", ...at(admin)], /there is no increase inc_none/],
      ["grant", ["inc_none", "--org", "default", ...at(admin)], /there is no increase inc_none/],
      ["list", ["--org", "default", "--url", "http://127.0.0.1:1", "--token", admin], /can't be reached/],
    ];
    for (const [command, words, expected] of failures) {
      const { code, stdout, stderr } = await elsewhere.run(["budgets", command, ...words]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, expected);
    }
  } finally {
    elsewhere.remove();
  }
});

test("a policy, a suspension and a stopped plan apply to the next response", async () => {
  const seen = async (words: readonly string[]) => {
    await line.json(...words);
    const { status, body } = await create();
    return [status, body.error?.code];
  };
  assert.deepEqual(await seen(["policy", "set", "--org", "default", "--allow-model", "simulated/echo"]), [
    400,
    "model_policy_violation",
  ]);
  assert.deepEqual(await seen(["policy", "set", "--org", "default", "--allow-model", "all"]), [200, undefined]);
  assert.deepEqual(await seen(["orgs", "suspend", "default"]), [403, "access_denied"]);
  assert.deepEqual(await seen(["orgs", "resume", "default"]), [200, undefined]);
  assert.deepEqual(await seen(["payment-method", "clear", "--org", "default"]), [402, "payment_method_required"]);
  // The plan has stopped with the payment method.
  assert.deepEqual(await seen(["payment-method", "set", "--org", "default"]), [429, "insufficient_quota"]);
  assert.deepEqual(await seen(["plan", "start", "--org", "default"]), [200, undefined]);
  assert.deepEqual(await seen(["plan", "stop", "--org", "default"]), [429, "insufficient_quota"]);
  assert.deepEqual(await seen(["plan", "start", "--org", "default"]), [200, undefined]);
});

test("turns are listed by filter and shown, without content", async () => {
  const { body } = await create();
  const list = (...filter: string[]) =>
    listed<{ id: string; status: string; credits: number }>("turns", "list", "--org", "default", ...filter);
  const [turn] = await list();
  assert.deepEqual([turn?.id, turn?.status], [body.id, "completed"]);
  const today = new Date().toISOString().slice(0, 10);
  const found = ["--model", "simulated/priced", "--status", "completed", "--from", "2026-01-01T10:30:00.000Z"];
  assert.equal((await list(...found, "--limit", "1")).length, 1);
  assert.deepEqual(await list("--to", "2026-01-01", "--from", "2025-12-31"), []);
  assert.deepEqual(await list("--failure-code", "run_failed"), []);
  assert.match(
    (await line.run(["turns", "list", "--org", "default"])).stdout,
    new RegExp(`^created_at.*\n${today}T.*${body.id}`),
  );
  interface Groups {
    data: { id: string }[];
    total: { turns: number };
  }
  const grouped = ["turns", "groups", "--org", "default", "--by"];
  const groups = await line.json<Groups>(...grouped, "model", "--to", "2100-01-01");
  const all = await list();
  assert.deepEqual(
    [groups.data.map(({ id }) => id).includes("simulated/priced"), groups.total.turns],
    [true, all.length],
  );
  const byUser = await line.run([...grouped, "end_user"]);
  assert.match(byUser.stdout, /^end_user +turns +failed +input_tokens +output_tokens +credits\nnone .*\ntotal /);
  const shown = await line.json<{ attempts: number; prices: { input: number } }>(
    "turns",
    "show",
    body.id,
    "--org",
    "default",
  );
  assert.deepEqual([shown.attempts, shown.prices.input], [1, 1000]);
  const transfers = await listed<{ kind: string; response: string | null }>("ledger", "list", "--org", "default");
  assert.deepEqual(transfers[0]?.response, body.id);
  const topUps = await listed<{ kind: string }>("ledger", "list", "--org", "default", "--top-ups");
  assert.ok(topUps.length > 0 && topUps.every(({ kind }) => kind === "topup"));
  const { stdout } = await line.run(["turns", "show", body.id, "--org", "default"]);
  const told = `created_at +${today}T[^]*\nattempts +1\n[^]*prices +input 1000, .* credits per million tokens\nfailed_attempts +none\n`;
  assert.match(stdout, new RegExp(told));
  assert.equal((await line.run(["spending", "--blocked"])).stdout, "No organization is blocked.\n");
});

test("turns of keys without a member are found by none", async () => {
  const { secret } = await line.json<{ secret: string }>("keys", "create", "--org", "default", "--name", "of nobody");
  const { body } = await create(secret);
  const unowned = ["--org", "default", "--member", "none"];
  const turns = await listed<{ id: string }>("turns", "list", ...unowned);
  assert.deepEqual(
    turns.map(({ id }) => id),
    [body.id],
  );
  const groups = await line.json<{ total: { turns: number } }>("turns", "groups", ...unowned, "--by", "key");
  assert.equal(groups.total.turns, 1);
});

test("turns and usage of a removed member are found by the member's id", async () => {
  const member = ["--org", "default", "--member"];
  const of = ["--org", "default", "--email", "ada@acme.test"];
  const { id } = await line.json<{ id: string }>("members", "add", ...of, "--role", "member");
  await line.json("members", "remove", ...of);
  assert.deepEqual(await listed("turns", "list", ...member, id), []);
  assert.deepEqual(await listed("usage", "--by", "model", ...member, id), []);
  for (const command of [["turns", "list"], ["usage"]]) {
    const { stderr } = await line.run([...command, ...member, "ada@acme.test"]);
    assert.match(stderr, /no member "ada@acme\.test"; `members list` shows them\./);
  }
});
