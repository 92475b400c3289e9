// A conflict or a killed connection after every single statement of the procedures that write (`npm test`: after a
// drawn third of them). Each call still has the same outcome, and the books and the audit log agree. docs/reliability.md, F-06
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { DEFAULT_CONNECTIONS } from "../../src/contract/connections.ts";
import { type Store, UnconfirmedWrite } from "../../src/ports/store/store.ts";
import { createPing, createProcedureRunner } from "../../src/store/engine/run.ts";
import { PROCEDURES } from "../../src/store/procedures.ts";
import { createPort } from "../../src/store/port.ts";
import { createExecute, type Execute } from "../../src/store/postgres/database/execute.ts";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { createPool, poolsOf } from "../../src/store/postgres/database/pool.ts";
import { createMerge } from "../../src/store/postgres/database/merge.ts";
import { createTranslate, listTables } from "../../src/store/postgres/database/translate.ts";
import { parsePostgresUrl } from "../../src/store/postgres/database/url.ts";
import { createTransactions } from "../../src/store/postgres/transactions.ts";
import { TESTS } from "../support/actor.ts";
import { drawSteps } from "../support/drawn.ts";
import { organizationOf } from "./contract/hold-fixtures.ts";
import { ACME, addCallers, createManualClock, makeConversation, placeIn, runResponse, says } from "./fixtures.ts";
import { databases, openPostgresStore } from "./postgres-databases.ts";
import { COMMIT, startPostgresProxy } from "./postgres-proxy.ts";

/** Faults as SQL that is run after a statement. */
const FAULTS: Readonly<Record<string, string>> = {
  "a serialization failure": raise("40001"),
  "a deadlock": raise("40P01"),
  "a killed connection": "select pg_terminate_backend(pg_backend_pid())",
};

function raise(code: string): string {
  return `do $$ begin raise exception 'injected' using errcode = '${code}'; end $$`;
}

/** A store with a fault after one statement of the next call. */
async function openFaulty(t: TestContext, fault: string) {
  const target = parsePostgresUrl((await databases.server()).url(await databases.create()));
  const settings = { ...poolsOf(DEFAULT_CONNECTIONS).requests, connectionsMax: 2 };
  const pool = createPool(target, settings);
  t.after(() => pool.end());
  const clock = createManualClock();
  const tables = ["schema_version", ...listTables(listMigrations())];
  const translate = createTranslate(target.schema, tables);
  const executeWell = createExecute(translate, true);
  let left = Number.POSITIVE_INFINITY;
  const execute: Execute = async (client, query) => {
    const result = executeWell(client, query);
    // Sent at once: a COMMIT may follow without waiting.
    if (--left === 0) await Promise.all([result, client.query(fault)]);
    return result;
  };
  const transactions = createTransactions(pool, execute, {
    settings: { instanceId: 1, idempotencyRetentionMs: 3_600_000, usageParts: 1 },
    pool: settings,
    merge: createMerge(translate, pool, true),
    checkOpen: () => {},
  });
  const run = createProcedureRunner<string>({
    telemetry: null,
    knownSchema: Number.POSITIVE_INFINITY,
    nowMs: () => clock.nowMs(),
    execute({ side, procedure, argument, nowMs }) {
      const call: Parameters<typeof transactions.write>[0] = (tx) => procedure.run(tx, argument as never, nowMs);
      return side === "write" ? transactions.write(call) : transactions.read(call);
    },
  });
  const port = createPort(run, PROCEDURES, createPing(Number.POSITIVE_INFINITY));
  const store: Store = { ...port, close: async () => {} };
  await addCallers(store);
  return {
    store,
    clock,
    /** Runs work with the fault after its statement of this number; returns whether there was such a statement. */
    after: async (statement: number, work: () => Promise<void>): Promise<boolean> => {
      left = statement;
      await work();
      const wasFaulty = left <= 0;
      left = Number.POSITIVE_INFINITY;
      return wasFaulty;
    },
  };
}

type Faulty = Awaited<ReturnType<typeof openFaulty>>;

/** Prepares a call on objects of its own; the returned function runs it and checks its outcome. */
type Case = (faulty: Faulty, name: string) => Promise<() => Promise<void>>;

const BUDGET = { scope: "organization", id: null, period: "day" } as const;

async function prepareOrganization({ store, clock }: Faulty, name: string) {
  const org = await organizationOf({ store, clock }, name, 1000n);
  await org.setBudget(BUDGET, 500n);
  return org;
}

const CASES: Readonly<Record<string, Case>> = {
  "begin a turn with key and hold": async (faulty, name) => {
    const org = await prepareOrganization(faulty, name);
    const claim = { endpoint: "POST /responses", key: name, fingerprint: "f" };
    return async () => {
      assert.deepEqual((await org.begin(100n, { claim })).outcome, { kind: "begun" });
      assert.equal((await org.begin(100n, { claim })).outcome.kind, "claimed");
      assert.deepEqual(await org.budgets(), [[0n, 100n]]);
    };
  },
  "extend and release a hold": async (faulty, name) => {
    const org = await prepareOrganization(faulty, name);
    const { head } = await org.begin(100n);
    return async () => {
      assert.deepEqual(await org.extend(head, 50n), { grantedNano: 50n, shortage: null });
      await org.release(head, 30n);
      assert.deepEqual(await org.budgets(), [[0n, 120n]]);
    };
  },
  "settle a turn": async (faulty, name) => {
    const org = await prepareOrganization(faulty, name);
    const { head } = await org.begin(100n);
    return async () => {
      assert.deepEqual(await org.end(head, 20, 5), { chargedNano: 30n, shortfallNano: 0n });
      assert.deepEqual([await org.left(), await org.budgets()], [970n, [[30n, 0n]]]);
    };
  },
  "withdraw a turn": async (faulty, name) => {
    const org = await prepareOrganization(faulty, name);
    const { head } = await org.begin(100n);
    return async () => {
      assert.equal(await faulty.store.withdrawResponse({ responseId: head.id }), true);
      assert.deepEqual([await org.left(), await org.budgets()], [1000n, [[0n, 0n]]]);
    };
  },
  "continue, add to and delete a conversation": async ({ store }) => {
    const conversationId = await makeConversation(store, [says("a")]);
    return async () => {
      const placement = await placeIn(store, conversationId);
      const { id } = await runResponse(store, { head: { conversationId }, begin: { placement } });
      const query = { caller: ACME, conversationId, order: "asc", after: null, limit: 50 } as const;
      const page = await store.listItems(query);
      assert.ok(page.kind === "page" && page.items.length === 3);
      assert.equal(await store.deleteResponse({ caller: ACME, responseId: id }), true);
      assert.equal(await store.deleteConversation({ caller: ACME, conversationId }), true);
      assert.equal((await store.listItems(query)).kind, "missing");
    };
  },
  "change an account": async ({ store }, name) => {
    return async () => {
      const [organizationId, memberId, keyId] = [`org_${name}`, `mem_${name}`, `key_${name}`];
      const credits = { transactionId: `txn_${name}`, amountNano: 7n };
      await store.createOrganization({ by: TESTS, id: organizationId, name, createdAt: 1, credits });
      const member = { id: memberId, organizationId, email: `${name}@x.test`, role: "admin" } as const;
      await store.addMember({ by: TESTS, ...member, createdAt: 1 });
      const key = {
        id: keyId,
        organizationId,
        memberId,
        name,
        permission: "all",
        createdAt: 1,
        revokedAt: null,
      } as const;
      await store.createKey({ by: TESTS, key, secret: { lookup: `a_${name}`, hash: "h" } });
      await store.rotateKey({ by: TESTS, keyId, secret: { lookup: `b_${name}`, hash: "h" }, graceSeconds: 0 });
      await store.removeMember({ by: TESTS, organizationId, memberId });
      assert.equal(await store.findKey({ lookup: `a_${name}` }), null);
      assert.equal((await store.findKey({ lookup: `b_${name}` }))?.key.memberId, null);
      const entries = await store.listAudit({ organizationId, before: null, limit: 50 });
      assert.deepEqual(entries.map(({ action }) => action).toReversed(), [
        "organization.create",
        "plan.start",
        "payment_method.set",
        "credits.add",
        "member.add",
        "key.create",
        "key.rotate",
        "member.remove",
      ]);
    };
  },
};

for (const [fault, happen] of Object.entries(FAULTS)) {
  test(`${fault} after any statement changes no outcome`, async (t) => {
    const faulty = await openFaulty(t, happen);
    const { first, by } = drawSteps(t);
    for (const [place, [what, prepare]] of Object.entries(CASES).entries()) {
      let statement = first;
      // oxlint-disable no-await-in-loop -- one fault after the other
      for (let isOver = false; !isOver; statement += by) {
        const run = await prepare(faulty, `c${place}s${statement}`);
        isOver = !(await faulty.after(statement, run).catch((error: unknown) => {
          throw new Error(`${what}, statement ${statement}`, { cause: error });
        }));
      }
      // oxlint-enable no-await-in-loop
      assert.ok(statement > 5, `${what} has ${statement} statements`);
    }
    const { differences } = await faulty.store.reconcile({ organizationId: null });
    assert.deepEqual(differences, []);
    const audit = await faulty.store.checkAudit({ after: { id: 0, hash: "" }, limit: 10_000 });
    assert.equal(audit.brokenAt, null);
  });
}

test("a change whose answer to COMMIT is lost is answered as if it had come; unconfirmed, it has taken effect whole, and repeated it changes nothing more", async (t) => {
  const proxy = await startPostgresProxy(t, (await databases.server()).url(await databases.create()));
  const store = await openPostgresStore({ location: proxy.url, clock: createManualClock() });
  t.after(() => store.close());
  proxy.cutAfter(COMMIT);
  const created = await store.createOrganization({ by: TESTS, id: "org_told", name: "told", createdAt: 1 });
  assert.equal(created.id, "org_told");
  const organizationId = "org_lost";
  const topUp = { by: TESTS, organizationId, transactionId: "txn_lost", amountNano: 5n, createdAt: 1 };
  const changes: readonly (readonly [string, () => Promise<unknown>, RegExp | null])[] = [
    [
      "organization.create",
      () => store.createOrganization({ by: TESTS, id: organizationId, name: "lost", createdAt: 1 }),
      /already exists/,
    ],
    ["credits.add", () => store.addCredits(topUp), null],
    [
      "member.add",
      () =>
        store.addMember({ by: TESTS, id: "mem_lost", organizationId, email: "a@b.test", role: "owner", createdAt: 1 }),
      /already a member/,
    ],
  ];
  // Changes one after the other, as an operator makes them.
  for (const [, change, again] of changes) {
    // oxlint-disable no-await-in-loop -- see above
    proxy.cutAfter(COMMIT, proxy.refuse);
    await assert.rejects(change(), (error) => error instanceof UnconfirmedWrite);
    proxy.restore();
    await (again === null ? change() : assert.rejects(change(), again));
    // oxlint-enable no-await-in-loop
  }
  const organization = (await store.listOrganizations()).find(({ id }) => id === organizationId);
  assert.equal(organization?.creditsNano, topUp.amountNano);
  const entries = await store.listAudit({ organizationId, before: null, limit: 50 });
  assert.deepEqual(
    entries.map(({ action }) => action).toReversed(),
    changes.map(([action]) => action),
  );
  assert.deepEqual((await store.reconcile({ organizationId: null })).differences, []);
  assert.equal((await store.checkAudit({ after: { id: 0, hash: "" }, limit: 100 })).brokenAt, null);
});
