// Group commit: concurrent writes share a transaction, and each is all or nothing by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../src/ports/store/accounts.ts";
import { StoreError } from "../../src/ports/store/store.ts";
import { ACME, addCallers, beginOf, headOf, makeConversation, runResponse, says } from "./fixtures.ts";
import { walBytes, withDatabase } from "./raw-database.ts";
import { openAt, openFor } from "./sqlite-files.ts";
import { TESTS } from "../support/actor.ts";

test("a failing write among many fails alone and leaves nothing behind", async (t) => {
  const { store } = await openFor(t);
  await addCallers(store);
  const add = (index: number) => ({
    transactionId: `txn_${index % 7 === 3 ? "same" : index}`,
    organizationId: "org_acme",
    // Distinct amounts: a repeated top-up would post nothing.
    amountNano: index % 7 === 3 ? BigInt(index) : 1n,
    createdAt: 1,
  });
  const turns = Array.from({ length: 50 }, () => headOf());
  const begun = turns.map((head) => store.beginResponse(beginOf(head)));
  const added = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) => store.addCredits({ by: TESTS, ...add(index) })),
  );
  const rejected = added.filter((result) => result.status === "rejected");
  assert.equal(rejected.length, 6);
  for (const { reason } of rejected) assert.ok(reason instanceof AccountError);
  assert.equal((await store.findOrganization({ idOrName: "org_acme" }))?.creditsNano, 46n);
  for (const outcome of await Promise.all(begun)) assert.deepEqual(outcome, { kind: "begun" });
});

test("a store that is closed at once still completes all calls", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const asked = Array.from({ length: 500 }, (_, index) =>
    store.addCredits({
      by: TESTS,
      transactionId: `txn_${index}`,
      organizationId: "org_acme",
      amountNano: 1n,
      createdAt: 1,
    }),
  );
  const [answers] = await Promise.all([Promise.allSettled(asked), store.close()]);
  assert.deepEqual(
    answers.filter(({ status }) => status === "rejected"),
    [],
  );
  const rows = withDatabase(path, (database) =>
    database.prepare("select count(*) as rows from ledger_transfers").get(),
  );
  assert.equal(rows?.["rows"], 500);
});

test("a call that fails half-way leaves nothing of its first half", async (t) => {
  const { store } = await openFor(t);
  await addCallers(store);
  const twice = says("the same id twice");
  // The second item violates a constraint after the conversation and the first item are stored.
  const broken = makeConversation(store, [says("first"), twice, twice]);
  const fine = makeConversation(store, [says("fine")]);
  await assert.rejects(broken, (error: unknown) => error instanceof StoreError && error.kind === "failed");
  const found = await store.findContinuation({
    caller: ACME,
    name: { by: "conversation", conversationId: await fine, answeredCallIds: [] },
  });
  assert.equal(found?.view.size, 4);
});

test("concurrent writes share a transaction", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const written = async (work: () => Promise<unknown>) => {
    const before = walBytes(path);
    await work();
    return walBytes(path) - before;
  };
  const together = await written(() => Promise.all(Array.from({ length: 40 }, () => runResponse(store))));
  const apart = await written(async () => {
    for (let turn = 0; turn < 40; turn++) await runResponse(store);
  });
  assert.ok(together * 3 < apart, `${together} bytes together, ${apart} apart`);
});

test("the ledger balances", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  for (const [index, amountNano] of [5n, 7n, 10n ** 18n].entries()) {
    await store.addCredits({
      by: TESTS,
      transactionId: `txn_${index}`,
      organizationId: "org_acme",
      amountNano,
      createdAt: 1,
    });
  }
  withDatabase(path, (database) => {
    const value = (sql: string) => String(Object.values(database.prepare(sql).get() ?? {})[0]);
    assert.equal(value("select cast(sum(amount_nano) as text) from ledger_transfers"), String(10n ** 18n + 12n));
    assert.equal(value("select cast(sum(credits_nano) as text) from balances"), String(10n ** 18n + 12n));
    assert.throws(() => database.exec("update ledger_transfers set amount_nano = 1"), /append-only/);
    assert.throws(() => database.exec("delete from ledger_transfers"), /append-only/);
    assert.throws(() => database.exec("update balances set credits_nano = 1"), /CHECK constraint failed/);
  });
});

test("while another process locks the file, writes wait and reads continue", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const head = await runResponse(store);
  const { DatabaseSync } = await import("node:sqlite");
  const holder = new DatabaseSync(path);
  holder.exec("begin immediate");
  let isStored = false;
  const late = runResponse(store).finally(() => {
    isStored = true;
  });
  assert.notEqual(await store.readResponse({ caller: ACME, responseId: head.id }), null);
  assert.equal(isStored, false);
  holder.exec("commit");
  holder.close();
  await late;
});

test("a second store on the same file reads every acknowledged write of the first", async (t) => {
  const { store, path, clock } = await openFor(t);
  await addCallers(store);
  const beside = await openAt(t, { location: path, clock });
  for (let turn = 0; turn < 10; turn++) {
    const head = await runResponse(turn % 2 === 0 ? store : beside);
    for (const reader of [store, beside]) {
      assert.equal((await reader.readResponse({ caller: ACME, responseId: head.id }))?.status, "completed");
    }
  }
});
