// `turngate store copy` copies a whole embedded store to PostgreSQL. See docs/nodes.md
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { copyStore } from "../../src/boot/copy-store.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { openCommandLine } from "../cli/command-line.ts";
import { organizationOf } from "../store/contract/hold-fixtures.ts";
import {
  ACME,
  addCallers,
  answers,
  calls,
  createManualClock,
  makeConversation,
  outputs,
  placeAfter,
  placeIn,
  runTurn,
  says,
} from "../store/fixtures.ts";
import { TESTS } from "../support/actor.ts";
import { TestService } from "../support/service.ts";
import { databases } from "../store/postgres-databases.ts";

const LIFETIME = { idleMs: 10 ** 12, absoluteMs: 10 ** 13 };
/** More nano-credits than a number counts exactly. */
const LARGE = 2n ** 55n + 1n;

const CLAIM = { endpoint: "createResponse", key: "again" };

const clock = createManualClock();
const line = openCommandLine();
/** Whatever TEST_ENGINE says: only an embedded store is copied. */
const source = join(line.folder, "source.db");
let service: TestService;
const responseIds: string[] = [];
const conversationIds: string[] = [];

const openSource = () => openSqliteStore({ path: source, clock });

before(async () => {
  service = await TestService.start({ database: { engine: "sqlite", location: source } });
  const first = await service.create({ input: "Hello" }, { headers: { "idempotency-key": "once" } });
  const firstId = String(first.json["id"]);
  const branch = await service.create({ input: "A branch", previous_response_id: firstId });
  await service.create({ input: "Another branch", previous_response_id: firstId });
  assert.equal(branch.status, 200, branch.text);
  const deleted = await service.create({ input: "Gone" });
  await service.request("DELETE", `/v1/responses/${String(deleted.json["id"])}`);
  responseIds.push(firstId, String(branch.json["id"]), String(deleted.json["id"]));
  await service.stop();
  const store = await openSource();
  await fill(store);
  await store.close();
});

after(async () => {
  await service.restart();
  await service.close();
  line.remove();
});

/** Puts something into every table, with texts and amounts that a careless copy would change. */
async function fill(store: Store): Promise<void> {
  await store.fitsSecret({ checkValue: service.secrets.checkValue });
  await addCallers(store);
  const call = await runTurn(store, {
    input: [says("quote \" backslash \\ {brace} , ' 🜚 NULL")],
    output: [calls("c1")],
    begin: { claim: { ...CLAIM, fingerprint: "f" } },
  });
  const answered = await runTurn(store, {
    begin: { placement: await placeAfter(store, call.id) },
    input: [outputs("c1")],
    output: [answers("")],
  });
  responseIds.push(call.id, answered.id);
  const conversationId = await makeConversation(store, [says("first"), says("second")]);
  conversationIds.push(conversationId);
  await runTurn(store, { begin: { placement: await placeIn(store, conversationId) }, head: { conversationId } });
  const org = await organizationOf({ store, clock }, "funds", LARGE);
  await org.setBudget({ scope: "organization", id: null, period: "total" }, LARGE + 2n);
  await org.setBudget({ scope: "response", id: null, period: "total" }, LARGE);
  const increase = { scope: "organization", period: "total", amountNano: LARGE } as const;
  assert.equal(await store.requestIncrease({ id: "inc_1", caller: org.caller, ...increase }), true);
  const { head: paid } = await org.begin(600n);
  await org.end(paid, 200, 7);
  // A crash left this one running.
  await org.begin(100n);
  const { memberId } = org;
  const { organizationId } = org.caller;
  await store.rotateKey({
    by: TESTS,
    keyId: ACME.keyId,
    secret: { lookup: "look_new", hash: "h" },
    graceSeconds: 3600,
  });
  await store.revokeKey({ by: TESTS, keyId: "key_other", revokedAt: 7 });
  const rejection = {
    ...ACME,
    requestId: "req_1",
    atMs: 5,
    operation: "listModels",
    status: 403,
    code: "access_denied",
  } as const;
  await store.keepRejections({ rejections: [{ ...rejection, param: null, message: "no", skipped: 1 }] });
  await store.reportProvider({ provider: "test", isFailing: true, calls: 3, failures: 3 });
  const token = { id: "tok_1", organizationId: null, role: null, name: "t", createdAt: 1, revokedAt: null };
  await store.createToken({ by: TESTS, token, secret: { lookup: "look_token", hash: "h_token" } });
  const link = { by: TESTS, organizationId, memberId, lifetimeMs: 1e9 };
  await store.setSignInLink({ ...link, hash: "h_link" });
  const session = { id: "ses_1", hash: "h_session", lifetime: LIFETIME, address: "192.0.2.1", userAgent: "curl" };
  await store.redeemSignInLink({ hash: "h_link", passwordHash: "argon", session });
  await store.setSignInLink({ ...link, hash: "h_link_2" });
  const operator = { by: TESTS, name: "Ada", lifetimeMs: 1e9 };
  await store.setOperatorLink({ ...operator, hash: "h_operator" });
  const ofOperator = { ...session, id: "ses_2", hash: "h_session_2" };
  await store.redeemSignInLink({ hash: "h_operator", passwordHash: null, session: ofOperator });
  await store.setOperatorLink({ ...operator, hash: "h_operator_2" });
  const identity = { issuer: "https://login.test", subject: "s" };
  const known = { by: TESTS, organizationId, identity, email: "sso@a.test", role: "member" } as const;
  const ofIdentity = { ...session, id: "ses_3", hash: "h_session_3" };
  await store.startSessionByIdentity({
    ...known,
    mayAdd: true,
    newMemberId: "mem_sso",
    createdAt: 1,
    session: ofIdentity,
  });
}

/** The results of the functions of the port that read. */
async function readAll(store: Store) {
  const { caller } = { caller: { organizationId: service.organizationId, keyId: service.keyId } };
  const organizations = await store.listOrganizations();
  const callers = [caller, ACME];
  return {
    organizations,
    events: await store.listEvents({ organizationId: null, from: { direction: "after", id: 0 }, limit: 1000 }),
    perOrganization: await Promise.all(
      organizations.map(async ({ id: organizationId }) => ({
        members: await store.listMembers({ organizationId }),
        keys: await store.listKeys({ organizationId }),
        budgets: await store.listBudgets({ organizationId }),
        increases: await store.listIncreases({ organizationId }),
        usage: await store.readUsage({ organizationId, by: ["day"], fromDay: null, toDay: null, limit: 100 }),
        books: await store.reconcile({ organizationId }),
      })),
    ),
    secrets: [
      await Promise.all(["look_key_acme", "look_new", "look_key_other"].map((lookup) => store.findKey({ lookup }))),
      await store.findToken({ lookup: "look_token" }),
      await store.findSignInLink({ hash: "h_link_2" }),
      await store.findPasswordHolders({ email: "FUNDS@a.test" }),
      await store.findSignInLink({ hash: "h_operator_2" }),
      await store.findSession({ hash: "h_session", lifetime: LIFETIME }),
      await store.findSession({ hash: "h_session_2", lifetime: LIFETIME }),
      await store.listSessions({ memberId: null, lifetime: LIFETIME }),
      await store.listTokens({ organizationId: null }),
      await store.fitsSecret({ checkValue: service.secrets.checkValue }),
      await store.fitsSecret({ checkValue: "another" }),
    ],
    claim: await store.findClaim({ organizationId: ACME.organizationId, ...CLAIM }),
    turns: await Promise.all(
      callers.flatMap((each) =>
        responseIds.map(async (responseId) => {
          const name = { by: "response", responseId, answeredCallIds: [] } as const;
          const found = await store.findContinuation({ caller: each, name });
          const window =
            found === null ? null : await store.readWindow({ view: found.view, sizeMax: 1e6, itemsMax: 100 });
          return { turn: await store.readTurn({ caller: each, responseId }), found, window };
        }),
      ),
    ),
    conversations: await Promise.all(
      conversationIds.map(async (conversationId) => ({
        record: await store.readConversation({ caller: ACME, conversationId }),
        items: await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 100 }),
      })),
    ),
    orphans: await store.listOrphans(),
    audit: await store.listAudit({ organizationId: null, before: null, limit: 100 }),
    chain: await store.checkAudit({ after: { id: 0, hash: "" }, limit: 1000 }),
    books: await store.reconcile({ organizationId: null }),
  };
}

const hashOfSource = () => createHash("sha256").update(readFileSync(source)).digest("hex");

async function emptyTarget(): Promise<{ database: string; url: string }> {
  const server = await databases.server();
  const database = await server.createDatabase();
  return { database, url: server.url(database) };
}

test("every row arrives exactly, and every function of the port returns the same as before", async () => {
  const { database, url } = await emptyTarget();
  const hash = hashOfSource();
  const progress = new Map<string, number>();
  const report = await copyStore({
    from: { engine: "sqlite", location: source },
    to: { engine: "postgres", location: url },
    clock,
    onProgress: (table, rows) => progress.set(table, rows),
  });
  assert.equal(hashOfSource(), hash, "the source is not changed");
  assert.deepEqual(Object.fromEntries(progress), report.rows);
  const server = await databases.server();
  const file = new DatabaseSync(source, { readOnly: true });
  for (const [table, count] of Object.entries(report.rows)) {
    assert.ok(count > 0, `the test has nothing in ${table}`);
    const columns = file
      .prepare(`select name from pragma_table_info('${table}') order by name`)
      .all()
      .map(({ name }) => String(name));
    const list = columns.map((name) => `cast("${name}" as text) as "${name}"`).join(", ");
    const rowsOf = (rows: readonly Record<string, unknown>[]) =>
      rows.map((row) => JSON.stringify(columns.map((name) => row[name] ?? null))).toSorted();
    const expected = rowsOf(file.prepare(`select ${list} from ${table}`).all());
    assert.deepEqual(rowsOf(await server.query(database, `select ${list} from turngate.${table}`)), expected, table);
  }
  file.close();
  const [from, to] = [await openSource(), await openPostgresStore({ url, clock })];
  try {
    const [answered, expected] = [await readAll(to), await readAll(from)];
    assert.deepEqual(answered, expected);
    assert.notEqual(expected.claim, null);
    assert.equal(expected.orphans.length, 1);
    assert.deepEqual(expected.books.differences, []);
    assert.equal(report.auditHead, expected.audit[0]?.hash);
    // New rows get numbers of their own.
    const further = await runTurn(to, { begin: { placement: await placeAfter(to, responseIds[4]!) } });
    assert.equal((await to.readTurn({ caller: ACME, responseId: further.id }))?.head.id, further.id);
    await to.createOrganization({ by: TESTS, id: "org_new", name: "new", createdAt: 1 });
    assert.equal((await to.listOrganizations()).at(-1)?.id, "org_new");
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
});

test("the command prints a line per table, and rejects a target that has rows", async () => {
  const { url } = await emptyTarget();
  const words = ["store", "copy", "--to", url];
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const first = await line.run(words, variables);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^organizations +4$/m);
  assert.match(first.stdout, /^Copied \d+ rows to postgres:.* audit head [0-9a-f]{64}$/m);
  const again = await line.run([...words, "--json"], variables);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(
    again.stderr,
    /^error: The schema turngate of postgres:[^\n]* is not empty \(root_secret, organizations, /,
  );
  const elsewhere = await line.run(["store", "copy", "--to", `${url}?schema=second`, "--json"], variables);
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  assert.equal(JSON.parse(elsewhere.stdout).rows.organizations, 4);
});

test("a copy that fails stores nothing, says so, and can be repeated", async () => {
  const { database, url } = await emptyTarget();
  const server = await databases.server();
  await (await openPostgresStore({ url, clock })).close();
  await server.query(database, "alter table turngate.sessions add constraint wrong check (id = 'x')");
  const words = ["store", "copy", "--to", url];
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const failed = await line.run(words, variables);
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /^error: The copy to [^\n]* failed, and nothing was stored: [^\n]*drop schema "turngate" cascade\n$/,
  );
  assert.deepEqual(await server.query(database, "select id from turngate.organizations"), []);
  await server.query(database, "alter table turngate.sessions drop constraint wrong");
  assert.equal((await line.run(words, variables)).code, 0);
});

test("while a service runs on the source, between two PostgreSQL and between two files a copy is rejected", async () => {
  const { url } = await emptyTarget();
  const variables = { DATABASE_URL: `sqlite:${source}` };
  const running = await openSqliteStore({ path: source, clock, exclusive: true });
  try {
    const { code, stderr } = await line.run(["store", "copy", "--to", url], variables);
    assert.equal(code, 1);
    assert.match(stderr, /^error: Another server is running on [^\n]*Stop the service first[^\n]*\n$/);
  } finally {
    await running.close();
  }
  const fromPostgres = await line.run(["store", "copy", "--to", url], { DATABASE_URL: url });
  assert.match(fromPostgres.stderr, /is not an embedded database: copy a PostgreSQL with its own tools/);
  const toFile = await line.run(["store", "copy", "--to", "sqlite:./x.db"], variables);
  assert.match(toFile.stderr, /is an embedded database; a store is copied to postgres:/);
  const toNothing = await line.run(["store", "copy", "--to", "mysql://u:geheim@h/d"], variables);
  assert.match(toNothing.stderr, /^error: --to is "[^"]*"; allowed: /);
  assert.doesNotMatch(toNothing.stderr, /geheim/);
  assert.deepEqual([fromPostgres.code, toFile.code, toNothing.code], [1, 1, 1]);
});
