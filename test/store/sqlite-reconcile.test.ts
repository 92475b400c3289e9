// Reconciling finds every figure that was changed in the file, and nothing in an unchanged one.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UsageGrouping } from "../../src/contract/money.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { TESTS } from "../support/actor.ts";
import { addCallers } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";
import { TAMPERING, TODAY } from "./sqlite-tampering.ts";

const CREDIT = 1_000_000_000n;
const total = (scope: "organization" | "member" | "key", id: string | null = null) =>
  ({ scope, id, period: "total" }) as const;

/** A nano-credit for 10 input tokens, one per output token. */
const PRICES = JSON.stringify({ input: 100_000, cached_input: 0, cache_write: 0, output: 1_000_000, tiers: [] });

/**
 * Books as a service leaves them. org_acme has a response of yesterday charged 12, one of today charged 20, one that
 * cost nothing, a running one that holds 30, and a withdrawn one. org_other has a top-up and no responses.
 */
const BOOKS = `
  insert into threads (id, organization_id, key_id, lineage, created_at) values (1, 'org_acme', 'key_acme', '[]', 1);
  insert into responses (public_id, organization_id, key_id, member_id, thread_id, status, owner, model, turn_id, seen_head, may_fork,
                         created_at, completed_at, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
                         total_tokens, billing_day, prices, held_nano, charged_nano)
  values ('resp_1', 'org_acme', 'key_acme', 'mem_ada', 1, 'completed', 1, 'acme/small', 'resp_1', 0, 0, 1, 2, 20, 0, 0, 10, 3, 30, ${TODAY - 1}, '${PRICES}', 15, 12),
         ('resp_2', 'org_acme', 'key_acme_2', null, 1, 'failed', 1, 'acme/small', 'resp_2', 0, 0, 1, 2, 100, 0, 0, 10, 0, 110, ${TODAY}, '${PRICES}', 20, 20),
         ('resp_3', 'org_acme', 'key_acme', 'mem_ada', 1, 'completed', 1, 'acme/free', 'resp_3', 0, 0, 1, 2, 7, 0, 0, 8, 0, 15, ${TODAY}, null, 0, 0),
         ('resp_4', 'org_acme', 'key_acme', 'mem_ada', 1, 'in_progress', 1, 'acme/small', 'resp_4', 0, 0, 1, null, null, null, null, null, null, null, ${TODAY}, '${PRICES}', 30, null);
  insert into ledger_transfers (id, organization_id, kind, from_account, to_account, amount_nano, response_id, created_at)
  values (11, 'org_acme', 'hold', 'credits', 'held', 15, 'resp_1', 1),
         (12, 'org_acme', 'hold', 'credits', 'held', 10, 'resp_2', 1),
         (13, 'org_acme', 'settle', 'held', 'charged', 12, 'resp_1', 2),
         (14, 'org_acme', 'release', 'held', 'credits', 3, 'resp_1', 2),
         (15, 'org_acme', 'hold', 'credits', 'held', 9, 'resp_withdrawn', 2),
         (16, 'org_acme', 'extend', 'credits', 'held', 4, 'resp_2', 2),
         (17, 'org_acme', 'shortfall', 'shortfall', 'held', 6, 'resp_2', 2),
         (18, 'org_acme', 'settle', 'held', 'charged', 20, 'resp_2', 2),
         (19, 'org_acme', 'void', 'held', 'credits', 9, 'resp_withdrawn', 2),
         (20, 'org_acme', 'hold', 'credits', 'held', 25, 'resp_4', 3),
         (21, 'org_acme', 'extend', 'credits', 'held', 5, 'resp_4', 3);
  update balances set credits_nano = 1000 - 12 - 14 - 30, held_nano = 30, charged_nano = 32, shortfall_nano = 6
   where organization_id = 'org_acme';
  insert into usage_by_hour
  values ('org_acme', ${TODAY} * 24, 'key_acme_2', '', 'acme/small', 0, 1, 100, 0, 0, 10, 0, 20, 0),
         ('org_acme', ${TODAY - 1} * 24, 'key_acme', 'mem_ada', 'acme/small', 0, 1, 20, 0, 0, 10, 3, 12, 0),
         ('org_acme', ${TODAY} * 24, 'key_acme', 'mem_ada', 'acme/free', 0, 1, 7, 0, 0, 8, 0, 0, 0);`;

async function openBooks(t: TestContext): Promise<{ store: Store; path: string }> {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const ada = { id: "mem_ada", organizationId: "org_acme", email: "ada@acme.test", role: "member" } as const;
  await store.addMember({ by: TESTS, ...ada, createdAt: 1 });
  for (const organizationId of ["org_acme", "org_other"]) {
    const transactionId = `txn_${organizationId}`;
    await store.addCredits({ by: TESTS, transactionId, organizationId, amountNano: 1000n, createdAt: 1 });
  }
  withDatabase(path, (database) => database.exec(BOOKS));
  return { store, path };
}

test("a budget set in mid-period counts what was already spent and held", async (t) => {
  const { store } = await openBooks(t);
  const rows = [
    [total("organization"), 32n, 30n],
    [{ ...total("organization"), period: "month" }, 20n, 30n],
    [{ ...total("organization"), period: "day" }, 20n, 30n],
    [{ scope: "organization-day", id: null, period: "day" }, 20n, 30n],
    [total("member", "mem_ada"), 12n, 30n],
    [{ ...total("member", "mem_ada"), period: "day" }, 0n, 30n],
    [total("key", "key_acme"), 12n, 30n],
    [{ ...total("key", "key_acme_2"), period: "month" }, 20n, 0n],
    [{ scope: "response", id: null, period: "total" }, 0n, 0n],
  ] as const;
  for (const [name, spentNano, heldNano] of rows) {
    const set = await store.setBudget({ organizationId: "org_acme", name, limitNano: CREDIT, by: TESTS });
    assert.deepEqual(set, { ...name, limitNano: CREDIT, spentNano, heldNano });
    const again = await store.setBudget({ organizationId: "org_acme", name, limitNano: 5n, by: TESTS });
    assert.deepEqual(again, { ...name, limitNano: 5n, spentNano, heldNano });
  }
  const { differences, budgetPeriods } = await store.reconcile({ organizationId: null });
  assert.deepEqual(differences, []);
  // Each has periods of today and of yesterday, which is in another month; a total and the limit of a response have
  // none.
  assert.equal(budgetPeriods, 3 * 1 + 5 * 2);
});

const readAll = (store: Store, by: readonly UsageGrouping[], over: object) =>
  store.readUsage({ organizationId: "org_acme", by, fromDay: null, toDay: null, limit: 100, ...over });

test("usage adds up to the charges, however it is grouped", async (t) => {
  const { store } = await openBooks(t);
  const read = async (by: "key" | "member" | "model" | "day" | null, over: object = {}) =>
    (await readAll(store, by === null ? [] : [by], over)).map(
      ({
        groups: [group = { id: null, name: null }],
        responses,
        inputTokens,
        outputTokens,
        reasoningTokens,
        chargedNano,
      }) => [group.id, group.name, responses, inputTokens, outputTokens, reasoningTokens, chargedNano],
    );
  assert.deepEqual(await read(null), [[null, null, 3, 127, 28, 3, 32n]]);
  assert.deepEqual(await read("key"), [
    ["key_acme_2", "key_acme_2", 1, 100, 10, 0, 20n],
    ["key_acme", "key_acme", 2, 27, 18, 3, 12n],
  ]);
  assert.deepEqual(await read("member"), [
    [null, null, 1, 100, 10, 0, 20n],
    ["mem_ada", "ada@acme.test", 2, 27, 18, 3, 12n],
  ]);
  assert.deepEqual(await read("model"), [
    ["acme/small", null, 2, 120, 20, 3, 32n],
    ["acme/free", null, 1, 7, 8, 0, 0n],
  ]);
  assert.deepEqual(await read("day"), [
    ["2025-12-31", null, 1, 20, 10, 3, 12n],
    ["2026-01-01", null, 2, 107, 18, 0, 20n],
  ]);
  assert.deepEqual(await read("model", { fromDay: TODAY }), [
    ["acme/small", null, 1, 100, 10, 0, 20n],
    ["acme/free", null, 1, 7, 8, 0, 0n],
  ]);
  assert.deepEqual(await read(null, { toDay: TODAY - 1 }), [[null, null, 1, 20, 10, 3, 12n]]);
  assert.deepEqual(await read("key", { memberId: "mem_ada" }), [["key_acme", "key_acme", 2, 27, 18, 3, 12n]]);
  await store.removeMember({ by: TESTS, organizationId: "org_acme", memberId: "mem_ada" });
  assert.deepEqual((await read("member")).at(-1), ["mem_ada", null, 2, 27, 18, 3, 12n]);
});

for (const [what, sql, expected] of TAMPERING) {
  test(`${what}: it is found`, async (t) => {
    const { store, path } = await openBooks(t);
    for (const name of [total("organization"), { scope: "key", id: "key_acme_2", period: "day" } as const]) {
      await store.setBudget({ organizationId: "org_acme", name, limitNano: CREDIT, by: TESTS });
    }
    assert.equal((await store.reconcile({ organizationId: null })).differencesFound, 0);
    withDatabase(path, (database) => {
      database.exec("pragma foreign_keys = off");
      database.exec("drop trigger ledger_transfers_never_change; drop trigger ledger_transfers_never_go");
      database.exec(sql);
    });
    const { differences, differencesFound } = await store.reconcile({ organizationId: null });
    assert.equal(differencesFound, differences.length);
    const found = differences.map((each) => [each.compared, each.of, each.recorded, each.expected]);
    for (const difference of expected) {
      assert.ok(
        found.some((one) => JSON.stringify(one, showBig) === JSON.stringify(difference, showBig)),
        `${JSON.stringify(difference, showBig)} is not among ${JSON.stringify(found, showBig)}`,
      );
    }
    // An organization whose books are in order reports nothing of another's.
    const inOrder = differences.some(({ organizationId }) => organizationId === "org_acme") ? "org_other" : "org_acme";
    assert.deepEqual((await store.reconcile({ organizationId: inOrder })).differences, []);
  });
}

function showBig(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

test("thousands of differences are counted, the first thousand listed", async (t) => {
  const { store, path } = await openBooks(t);
  withDatabase(path, (database) =>
    database.exec(`
      insert into usage_by_hour
      with recursive hours(hour) as (select 1 union all select hour + 1 from hours where hour < 1500)
      select 'org_acme', hour, 'key_acme', '', 'acme/small', 0, 1, 0, 0, 0, 0, 0, 0, 0 from hours`),
  );
  const { differences, differencesFound } = await store.reconcile({ organizationId: "org_acme" });
  assert.equal(differencesFound, 1500);
  assert.equal(differences.length, 1000);
});
