// plan, apply and orgs file on a running service: no store is here, only its address and a token.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { test } from "node:test";
import { managedForFile } from "../manage/managed-service.ts";
import { commandLineForFile } from "./command-line.ts";

const managed = await managedForFile();
const line = commandLineForFile();

/** Runs a command on the service with a token of these limits. */
async function run(words: readonly string[], permissions: "all" | "read" = "all") {
  const program = await managed.newProgram(null, null, { permissions, expiresAt: null });
  assert.ok("token" in program);
  return line.run([...words, "--url", managed.baseUrl, "--token", program.token]);
}
const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);

const NO_CHANGE = /(^|\n)No change\.\n$/;

const ACME = `organizations:
  - name: Acme
    plan: true
    payment_method: true
    suspended: true
    retention_days: 30
    policy: { deny_models: [all], tool_calls_per_turn: 3 }
    limits: { open_streams: 7 }
    members: [{ email: ada@acme.test, role: owner }]
    keys:
      - { name: chat backend, member: ada@acme.test, permissions: read }
    budgets:
      - { scope: key, id: chat backend, period: day, limit: 2.5 }
      - { scope: member, id: ada@acme.test, limit: 4 }
      - { scope: response, limit: 1 }
`;

test("a read-only token is enough for plan, and apply with it changes nothing", async () => {
  write("acme.yaml", ACME);
  const planned = await run(["plan", "acme.yaml"], "read");
  assert.deepEqual([planned.code, planned.stderr], [2, ""]);
  assert.match(planned.stdout, /^\+ organization "Acme": .*retention_days 30.*\n(.*\n){6}6 changes; /);
  const applied = await run(["apply", "acme.yaml", "--secrets", "never.jsonl"], "read");
  assert.equal(applied.code, 1);
  assert.match(applied.stderr, /^error: The token is read-only.* 0 of 6 changes were made; apply again\.\n$/);
  assert.equal(await managed.store.findOrganization({ idOrName: "Acme" }), null);
});

test("apply makes the changes, as the token, and repeated it makes none", async () => {
  const applied = await run(["apply", "acme.yaml", "--secrets", "secrets.jsonl"]);
  assert.deepEqual([applied.code, applied.stderr], [0, ""]);
  const { secret } = JSON.parse(readFileSync(join(line.folder, "secrets.jsonl"), "utf8"));
  assert.match(secret, /^sk_/);
  assert.ok(!applied.stdout.includes(secret));
  assert.match((await run(["plan", "acme.yaml", "--prune"], "read")).stdout, NO_CHANGE);
  assert.match((await run(["apply", "acme.yaml"])).stdout, NO_CHANGE);
  const organization = await managed.store.findOrganization({ idOrName: "Acme" });
  assert.deepEqual(
    [organization?.plan, organization?.suspended, organization?.retentionDays, organization?.limits.openStreams],
    [true, true, 30, 7],
  );
  const [entry] = await managed.store.listAudit({ organizationId: organization?.id ?? "", before: null, limit: 1 });
  assert.equal(entry?.by.kind, "token");
});

test("changes and removals go the same way", async () => {
  write(
    "less.yaml",
    `organizations:
  - name: Acme
    plan: false
    payment_method: false
    suspended: false
    retention_days: null
    policy: { allow_models: [all], deny_models: [] }
    members: [{ email: ada@acme.test, role: owner }, { email: bob@acme.test, role: member }]
    keys: []
    budgets: [{ scope: response, limit: 2 }]
`,
  );
  const applied = await run(["apply", "less.yaml", "--prune"]);
  assert.deepEqual([applied.code, applied.stderr], [0, ""]);
  assert.match(applied.stdout, /^- Acme: key "chat backend" \(key_\w+\): revoke$/m);
  assert.match((await run(["plan", "less.yaml", "--prune"])).stdout, NO_CHANGE);
  await run(["orgs", "file", "--org", "Acme", "--write", "exported.yaml"], "read");
  assert.match((await run(["plan", "exported.yaml", "--prune"])).stdout, NO_CHANGE);
  assert.match(readFileSync(join(line.folder, "exported.yaml"), "utf8"), /email: bob@acme\.test/);
});

test("plan and apply name the tokens and keys of a removed member that stay valid", async () => {
  const accounts = (members: string, rest = "") =>
    `organizations:\n  - { name: Leaving, members: [${members}{ email: eve@acme.test, role: owner }]${rest} }\n`;
  write(
    "both.yaml",
    accounts("{ email: dan@acme.test, role: owner }, ", ", keys: [{ name: dan's, member: dan@acme.test }]"),
  );
  assert.equal((await run(["apply", "both.yaml", "--secrets", "dan.jsonl"])).code, 0);
  const { id: organizationId } = (await managed.store.findOrganization({ idOrName: "Leaving" }))!;
  const dan = (await managed.store.listMembers({ organizationId })).find(({ email }) => email === "dan@acme.test")!;
  const createdAt = Math.floor(Date.now() / 1000);
  for (const [id, revokedAt, expiresAt] of [
    ["tok_valid", null, null],
    ["tok_revoked", createdAt, null],
    ["tok_expired", null, createdAt - 1],
  ] as const) {
    const token = { id, organizationId, role: "owner", name: id, permissions: "all", createdAt, expiresAt } as const;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await managed.store.createToken({
      by: { kind: "member", id: dan.id },
      sessionId: null,
      token: { ...token, revokedAt },
      secret: { lookup: id, hash: id },
    });
  }
  write("one.yaml", accounts(""));
  assert.equal((await run(["plan", "one.yaml"])).stderr, "");
  write("renamed.yaml", accounts("").replace("name: Leaving", `id: ${organizationId}, name: Left`));
  const renamed = await run(["plan", "renamed.yaml", "--prune"]);
  assert.match(renamed.stderr, /^warning: Left: what dan@acme\.test leaves stays valid: token "tok_valid" [^\n]*\n$/);
  for (const command of ["plan", "apply"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { stderr } = await run([command, "one.yaml", "--prune"]);
    assert.match(
      stderr,
      /^warning: Leaving: what dan@acme\.test leaves stays valid: token "tok_valid" \(tok_valid\), key "dan's" \(key_\w+\)\. [^\n]*\n$/,
    );
  }
  assert.equal((await run(["plan", "one.yaml", "--prune"])).stderr, "");
});

test("what the service does not allow is a fault of the file, with its line", async () => {
  write("wrong.yaml", "organizations:\n  - name: Acme\n    policy: { deny_models: [nowhere] }\n");
  assert.match((await run(["plan", "wrong.yaml"])).stderr, /^error: wrong\.yaml:3: .*There is no model "nowhere"/);
  write("wrong.yaml", "organizations:\n  - name: Acme\n    retention_days: 40000\n");
  assert.match((await run(["plan", "wrong.yaml"])).stderr, /^error: wrong\.yaml:3: .*is 40000; allowed here: 1 to /);
});

test("a token of an organization, and one without an address, are errors; nothing is created here", async () => {
  const own = await managed.newProgram(await managed.newOrganization(), "owner");
  assert.ok("token" in own);
  const denied = await line.run(["plan", "acme.yaml", "--url", managed.baseUrl, "--token", own.token]);
  assert.match(denied.stderr, /^error: The role owner may not do this\. Allowed roles: operator\.\n$/);
  assert.match((await line.run(["apply", "acme.yaml", "--token", "adm_x"])).stderr, /^error: --token needs --url/);
  assert.match((await line.run(["plan", "acme.yaml", "--url", managed.baseUrl])).stderr, /^error: --url needs --token/);
  assert.equal(existsSync(join(line.folder, "data")), false);
});

test("a failure in the middle tells what was made, and applying again makes the rest", async () => {
  write(
    "beta.yaml",
    `organizations:
  - name: Beta
    plan: true
    payment_method: true
    limits: { create_per_minute: 9 }
    keys: [{ name: first key }, { name: second key }]
    budgets: [{ scope: key, id: second key, period: day, limit: 3 }]
`,
  );
  // A service that is out of reach for one request: the first that changes the limits, then the second key.
  const outages = [
    (method: string, path: string) => method === "POST" && path.endsWith("/limits"),
    (method: string, path: string, body: string) =>
      method === "POST" && path.endsWith("/keys") && body.includes("second"),
  ];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "", url = "", headers } = request;
      const body = await textOf(request);
      if (outages[0]?.(method, url, body)) {
        outages.shift();
        response.socket?.destroy();
        return;
      }
      const sent = method === "GET" ? {} : { body };
      const { authorization = "" } = headers;
      const reply = await fetch(`${managed.baseUrl}${url}`, { method, headers: { authorization }, ...sent });
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const program = await managed.newProgram(null, null);
  assert.ok("token" in program);
  const { port } = server.address() as AddressInfo;
  const apply = (secrets: string) =>
    line.run([
      "apply",
      "beta.yaml",
      "--secrets",
      secrets,
      "--url",
      `http://127.0.0.1:${port}`,
      "--token",
      program.token,
    ]);
  const secretsIn = (name: string) =>
    readFileSync(join(line.folder, name), "utf8")
      .split("\n")
      .filter((entry) => entry !== "")
      .map((entry) => (JSON.parse(entry) as { name: string }).name);
  try {
    const one = await apply("one.jsonl");
    assert.equal(one.code, 1);
    assert.match(
      one.stderr,
      /This was at `\+ organization "Beta": [^`]*`, of which these were made: name, payment_method, plan\. 0 of 4 changes were made; apply again\.\n$/,
    );
    assert.equal(one.stdout, "");
    const two = await apply("two.jsonl");
    assert.match(two.stdout, /^~ organization "Beta": [^\n]*limits[^\n]*\n\+ Beta: key "first key"[^\n]*\n$/);
    assert.match(
      two.stderr,
      /This was at `\+ Beta: key "second key"[^`]*`\. 2 of 4 changes were made; apply again\.\n$/,
    );
    assert.deepEqual(secretsIn("two.jsonl"), ["first key"]);
    const three = await apply("three.jsonl");
    assert.deepEqual([three.code, secretsIn("three.jsonl")], [0, ["second key"]]);
    assert.match((await run(["plan", "beta.yaml", "--prune"], "read")).stdout, NO_CHANGE);
  } finally {
    server.close();
  }
});
