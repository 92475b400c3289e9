// Erasure: once it resolves, no file of the store contains a byte of the erased content.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/base/time.ts";
import {
  ACME,
  addCallers,
  answers,
  beginOf,
  calls,
  endOf,
  headOf,
  makeConversation,
  placeAfter,
  placeIn,
  runResponse,
  says,
  settleOf,
} from "./fixtures.ts";
import { countFilesWith, withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

const CANARY = "canary-7f3a9c";

test("no byte of erased content is left in the file or its WAL; billing records are", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const metadata = { note: CANARY };
  const secret = () => ({
    head: { instructions: CANARY, metadata, safetyIdentifier: CANARY },
    input: [says(`${CANARY} ${"long ".repeat(3000)}`)],
    output: [answers(CANARY), { ...calls("call_1"), arguments: `{"a":"${CANARY}"}` }],
    end: { providerState: { signature: CANARY } },
  });
  const single = await runResponse(store, secret());
  const failure = { type: "e", code: "provider_error", message: CANARY, provider: null, retryable: false } as const;
  const failed = await runResponse(store, {
    ...secret(),
    end: {
      status: "failed",
      error: { code: "provider_error", message: CANARY },
      failure: { ...failure, provider_status: null, provider_request_id: null },
    },
  });
  const item = says(CANARY);
  const keptConversation = await makeConversation(store, [item, says("kept")]);
  const doomed = await makeConversation(store, [says(CANARY)]);
  await store.relabelConversation({ caller: ACME, conversationId: doomed, metadata, claim: null });
  const placement = await placeIn(store, doomed);
  const inDoomed = await runResponse(store, { ...secret(), begin: { placement } });
  await runResponse(store, { ...secret(), begin: { placement: await placeIn(store, doomed) } });
  const branch = await runResponse(store, { ...secret(), begin: { placement: await placeAfter(store, inDoomed.id) } });
  const after = async (responseId: string) =>
    runResponse(store, { ...secret(), begin: { placement: await placeAfter(store, responseId) } });
  const [, branchOfBranch] = [await after(branch.id), await after(branch.id)];
  const running = headOf(secret().head);
  await store.beginResponse(beginOf(running, { placement: await placeIn(store, doomed) }));

  for (const { id } of [single, failed]) await store.deleteResponse({ caller: ACME, responseId: id });
  await store.deleteItem({ caller: ACME, conversationId: keptConversation, itemId: item.item.id });
  await store.deleteConversation({ caller: ACME, conversationId: doomed });
  await store.settleResponse(settleOf(running.id, secret().input, endOf(secret().output)));
  assert.ok(countFilesWith(path, CANARY) > 0, "control: the canary was stored");

  clock.advance(30 * DAY_MS);
  while ((await store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false })).more);
  assert.equal(countFilesWith(path, CANARY), 0);
  const checksums = withDatabase(path, (database) =>
    database.prepare("select body, body_checksum from items where (body is null) <> (body_checksum is null)").all(),
  );
  assert.deepEqual(checksums, [], "of an erased body not even its checksum is left");
  const billed = withDatabase(path, (database) =>
    database
      .prepare("select public_id as id, input_tokens as tokens, model, completed_at as at from responses order by id")
      .all()
      .map((row) => ({ ...row })),
  );
  for (const { id } of [single, failed, inDoomed, branch, branchOfBranch, running]) {
    const row = billed.find((record) => record["id"] === id);
    assert.deepEqual(row, { id, tokens: 10, model: "acme/small", at: 1_767_225_601 });
  }
  const page = await store.listItems({
    caller: ACME,
    conversationId: keptConversation,
    order: "asc",
    after: null,
    limit: 9,
  });
  assert.equal(page.kind === "page" && page.items.length, 1);
});

test("no byte of an expired history is left; nothing of a younger one is erased", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const old = await runResponse(store, {
    head: { instructions: CANARY },
    input: [says(CANARY)],
    output: [answers(CANARY)],
  });
  await runResponse(store, { input: [says(CANARY)], begin: { placement: await placeAfter(store, old.id) } });
  await makeConversation(store, [says(CANARY)]);
  clock.advance(7 * DAY_MS);
  await runResponse(store, { input: [says("young-5d1e77")] });
  clock.advance(4 * DAY_MS);
  assert.ok(countFilesWith(path, CANARY) > 0, "control: the canary was stored");
  const { organizationId } = ACME;
  const piece = await store.expireHistories({ organizationId, olderThanDays: 10, after: 0, limit: 100 });
  assert.deepEqual(piece, { expired: 2, next: null });
  while ((await store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false })).more);
  assert.equal(countFilesWith(path, CANARY), 0);
  assert.ok(countFilesWith(path, "young-5d1e77") > 0);
});

test("a response that settles after its conversation was erased leaves no content", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const conversationId = await makeConversation(store, [says(CANARY)]);
  const first = await runResponse(store, { begin: { placement: await placeIn(store, conversationId) } });
  await runResponse(store, { begin: { placement: await placeIn(store, conversationId) } });
  const late = "late-8c21d0";
  const heads = [headOf({ instructions: CANARY }), headOf({ instructions: CANARY })] as const;
  const [inIt, inBranch] = heads;
  await store.beginResponse(beginOf(inIt, { placement: await placeIn(store, conversationId) }));
  await store.beginResponse(beginOf(inBranch, { placement: await placeAfter(store, first.id) }));
  await store.deleteConversation({ caller: ACME, conversationId });
  clock.advance(30 * DAY_MS);
  const erase = async () => {
    while ((await store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false })).more);
  };
  await erase();
  assert.ok(countFilesWith(path, CANARY) > 0, "control: a running turn keeps its head");
  for (const { id } of heads) {
    const end = endOf([answers(late)], { providerState: { signature: late } });
    assert.notEqual(await store.settleResponse(settleOf(id, [says(late)], end)), null);
    assert.equal(await store.readResponse({ caller: ACME, responseId: id }), null);
  }
  assert.equal(countFilesWith(path, late), 0, "their output is never stored");
  await erase();
  assert.equal(countFilesWith(path, CANARY), 0);
});

test("content of many sizes, erased among much that is kept, leaves no byte in moved pages", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const kept: string[] = [];
  const rounds = Array.from({ length: 30 }, (_, index) => index);
  const doomed: string[] = [];
  for (const round of rounds) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, lane) => {
        const isDoomed = (round + lane) % 2 === 0;
        const word = isDoomed ? CANARY : "harmless";
        const text = `${word} `.repeat(1 + ((round * 37 + lane * 101) % 400));
        const head = await runResponse(store, {
          head: { instructions: text.slice(0, 500) },
          input: [says(text.slice(0, 200))],
          output: [answers(text)],
        });
        (isDoomed ? doomed : kept).push(head.id);
      }),
    );
  }
  for (const responseId of doomed) await store.deleteResponse({ caller: ACME, responseId });
  clock.advance(DAY_MS);
  while ((await store.eraseDeleted({ olderThanDays: 1, batch: 100, mayBlockWrites: false })).more);
  assert.equal(countFilesWith(path, CANARY), 0);
  for (const responseId of kept.slice(0, 5)) {
    assert.equal((await store.readResponse({ caller: ACME, responseId }))?.status, "completed");
  }
});

test("only erasure waits for a reader of the WAL", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const head = await runResponse(store, { input: [says(CANARY)] });
  await store.deleteResponse({ caller: ACME, responseId: head.id });
  const { DatabaseSync } = await import("node:sqlite");
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("begin");
  reader.prepare("select count(*) from items").get();
  let isDone = false;
  const erased = store.eraseDeleted({ olderThanDays: 0, batch: 100, mayBlockWrites: false }).finally(() => {
    isDone = true;
  });
  // Other calls do not wait with it.
  const other = await runResponse(store);
  assert.equal((await store.readResponse({ caller: ACME, responseId: other.id }))?.status, "completed");
  assert.equal(isDone, false);
  reader.close();
  await erased;
  assert.equal(countFilesWith(path, CANARY), 0);
});
