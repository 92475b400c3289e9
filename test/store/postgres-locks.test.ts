// Calls that meet the locks and changes of another transaction, which the test holds open.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SESSION_LIFETIME } from "../../src/flows/accounts/session-lifetime.ts";
import { AccountError } from "../../src/ports/store/accounts.ts";
import { TESTS } from "../support/actor.ts";
import { organizationOf } from "./contract/hold-fixtures.ts";
import { ACME, addCallers, beginOf, headOf, makeConversation, runResponse } from "./fixtures.ts";
import { databases } from "./postgres-databases.ts";

/** A store, an organization with a member, and a client whose transaction is open. */
async function open(t: TestContext) {
  const { store, clock, database } = await databases.openFor(t);
  await addCallers(store);
  const org = await organizationOf({ store, clock }, "locks", 1000n);
  const client = await (await databases.server()).connect(database);
  t.after(() => client.end());
  await client.query('begin; set local search_path = "turngate"; set local lock_timeout = 500');
  /** Resolves when a session of the store waits for the client's transaction. */
  const untilOneWaits = async (): Promise<void> => {
    const waiting = "select 1 from pg_locks where not granted";
    for (let asked = 0; (await client.query(waiting)).rows.length === 0; asked++) assert.ok(asked < 10_000);
  };
  return { store, org, client, untilOneWaits };
}

test("a sign-in link for a member who is being removed is rejected, and is no failure of the store", async (t) => {
  const { store, org, client, untilOneWaits } = await open(t);
  await client.query("delete from members where id = $1", [org.memberId]);
  const { organizationId } = org.caller;
  const link = { by: TESTS, organizationId, memberId: org.memberId, hash: "h", lifetimeMs: 1000 };
  const rejected = assert.rejects(store.setSignInLink(link), AccountError);
  await untilOneWaits();
  await client.query("commit");
  await rejected;
});

test("a member's removal waits for the money of the organization before it locks the organization", async (t) => {
  const { store, org, client, untilOneWaits } = await open(t);
  const { organizationId } = org.caller;
  await client.query("select 1 from balances where organization_id = $1 for update", [organizationId]);
  const removed = store.removeMember({ by: TESTS, organizationId, memberId: org.memberId });
  await untilOneWaits();
  // As the deletion of the organization does next.
  await client.query("select 1 from organizations where id = $1 for update", [organizationId]);
  await client.query("commit");
  await removed;
});

test("a member's removal waits for the member's keys before it writes to the audit log", async (t) => {
  const { store, org, client, untilOneWaits } = await open(t);
  const { organizationId, keyId } = org.caller;
  await org.setBudget({ scope: "member", id: org.memberId, period: "total" }, 10n);
  await client.query("select 1 from api_keys where id = $1 for update", [keyId]);
  const removed = store.removeMember({ by: TESTS, organizationId, memberId: org.memberId });
  await untilOneWaits();
  // As a rotation of the key does next.
  await client.query("select 1 from audit_log where id = 1 for update");
  await client.query("commit");
  await removed;
  assert.deepEqual(await org.budgets(), []);
});

test("a withdrawal frees its idempotency key before it waits for the money of the organization", async (t) => {
  const { store, org, client, untilOneWaits } = await open(t);
  const claim = { endpoint: "POST /responses", key: "k", fingerprint: "f" };
  const { head } = await org.begin(10n, { claim });
  await client.query("select 1 from balances where organization_id = $1 for update", [org.caller.organizationId]);
  const withdrawn = store.withdrawResponse({ responseId: head.id });
  await untilOneWaits();
  const { rows } = await client.query("select 1 from claims for update skip locked");
  assert.equal(rows.length, 0);
  await client.query("commit");
  assert.equal(await withdrawn, true);
  const begun = await store.beginResponse(beginOf(headOf(), { caller: org.caller, claim }));
  assert.equal(begun.kind, "begun");
});

test("the deletion of a response waits for its thread before it locks the response", async (t) => {
  const { store, client, untilOneWaits } = await open(t);
  const { id } = await runResponse(store);
  await client.query(
    "select 1 from threads t join responses r on r.thread_id = t.id where r.public_id = $1 for update of t",
    [id],
  );
  const deleted = store.deleteResponse({ caller: ACME, responseId: id });
  await untilOneWaits();
  // The second statement of a response that drops the calls of the response.
  await client.query("update responses set calls_closed_by = 'resp_later' where public_id = $1", [id]);
  await client.query("commit");
  assert.equal(await deleted, true);
});

test("a conversation is changed while another transaction stores what refers to it", async (t) => {
  const { store, client } = await open(t);
  const conversationId = await makeConversation(store);
  // As the check of a foreign key does.
  await client.query("select 1 from threads where public_id = $1 for key share", [conversationId]);
  const metadata = { changed: "meanwhile" };
  const relabelled = await store.relabelConversation({ caller: ACME, conversationId, metadata, claim: null });
  assert.equal(relabelled.kind, "done");
  await client.query("commit");
});

test("a token and the end of the session that makes it, with all tokens of its person, wait for each other", async (t) => {
  const { store, client, untilOneWaits } = await open(t);
  const by = { kind: "operator", id: "Grace" } as const;
  await store.setOperatorLink({ by: TESTS, name: by.id, hash: "link", lifetimeMs: 1000 });
  const session = { id: "ses_grace", hash: "h", lifetime: SESSION_LIFETIME, address: null, userAgent: null };
  assert.ok(await store.redeemSignInLink({ hash: "link", passwordHash: null, session }));
  const make = (id: string) => {
    const named = { id, organizationId: null, role: null, name: id, createdAt: 1, expiresAt: null, revokedAt: null };
    const secret = { lookup: `look_${id}`, hash: "h" };
    return store.createToken({ by, sessionId: session.id, token: { ...named, permissions: "all" }, secret });
  };
  assert.ok(await make("tok_first"));
  // As another node does while it makes a token by the first one.
  await client.query("select 1 from admin_tokens where id = 'tok_first' for update");
  await client.query(`
    insert into admin_tokens (id, name, permissions, lookup, hash, created_at, created_by_kind, created_by_id)
    select 'tok_second', name, permissions, 'look_tok_second', hash, created_at, created_by_kind, created_by_id
      from admin_tokens where id = 'tok_first'`);
  const ended = store.endSessions({ by: TESTS, ids: [], tokensOf: by });
  await untilOneWaits();
  await client.query("commit");
  await ended;
  const tokens = await store.listTokens({ organizationId: null });
  assert.deepEqual(
    tokens.map(({ id, revokedAt }) => [id, revokedAt !== null]),
    [
      ["tok_first", true],
      ["tok_second", true],
    ],
  );

  await client.query('begin; set local search_path = "turngate"');
  await client.query("delete from sessions where id = 'ses_grace'");
  const late = make("tok_late");
  await untilOneWaits();
  await client.query("commit");
  assert.equal(await late, null);
});
