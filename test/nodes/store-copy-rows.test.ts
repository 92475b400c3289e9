// `turngate store copy` copies every row of an embedded store to PostgreSQL. See docs/nodes.md
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { copyStore } from "../../src/boot/copy-store.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { ACME, placeAfter, runResponse } from "../store/fixtures.ts";
import { databases, openPostgresStore } from "../store/postgres-databases.ts";
import { TESTS } from "../support/actor.ts";
import { CLAIM, emptyTarget, LIFETIME, sourceForFile } from "./store-copy-source.ts";

const source = sourceForFile();
const { clock, responseIds, conversationIds } = source;

/** The results of the functions of the port that read. */
async function readAll(store: Store) {
  const { caller } = { caller: { organizationId: source.service.organizationId, keyId: source.service.keyId } };
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
      await store.fitsSecret({ checkValue: source.service.secrets.checkValues[0] ?? "" }),
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
          return { turn: await store.readResponse({ caller: each, responseId }), found, window };
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

const hashOfSource = () => createHash("sha256").update(readFileSync(source.path)).digest("hex");

test("every row arrives exactly, and every function of the port returns the same as before", async () => {
  const { database, url } = await emptyTarget();
  const hash = hashOfSource();
  const progress = new Map<string, number>();
  const report = await copyStore({
    from: { engine: "sqlite", location: source.path },
    to: { engine: "postgres", location: url },
    clock,
    onProgress: (table, rows) => progress.set(table, rows),
  });
  assert.equal(hashOfSource(), hash, "the source is not changed");
  assert.deepEqual(Object.fromEntries(progress), report.rows);
  const server = await databases.server();
  const file = new DatabaseSync(source.path, { readOnly: true });
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
  const [from, to] = [await source.open(), await openPostgresStore({ location: url, clock })];
  try {
    const [answered, expected] = [await readAll(to), await readAll(from)];
    assert.deepEqual(answered, expected);
    assert.notEqual(expected.claim, null);
    assert.equal(expected.orphans.length, 1);
    assert.deepEqual(expected.books.differences, []);
    assert.equal(report.auditHead, expected.audit[0]?.hash);
    // New rows get numbers of their own.
    const further = await runResponse(to, { begin: { placement: await placeAfter(to, responseIds[4]!) } });
    assert.equal((await to.readResponse({ caller: ACME, responseId: further.id }))?.head.id, further.id);
    await to.createOrganization({ by: TESTS, id: "org_new", name: "new", createdAt: 1 });
    assert.equal((await to.listOrganizations()).at(-1)?.id, "org_new");
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
});
