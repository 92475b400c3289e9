// Contract: whom a response was for, in the log of turns: filters, and erasure with the content.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseFilter } from "../../../src/ports/store/response-log.ts";
import { ACME, ACME_OTHER_KEY, makeConversation, OTHER, placeIn, runResponse } from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";
import { EVERY_TURN } from "./response-log-fixtures.ts";

const EVE = ["eve", "customer=3"];
const NONE = [null, null];

async function list({ store }: Suite, filter: Partial<ResponseFilter>) {
  const query = { filter: { organizationId: ACME.organizationId, ...EVERY_TURN, ...filter }, from: null, limit: 50 };
  const { responses } = await store.listResponses({ ...query, readsMax: 100 });
  return responses.toReversed();
}

export const testResponseSubjects = describeStore("whom turns were for", (suite) => {
  test("turns are found by end user, label and conversation, and by having none, of their organization only", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const ada = { endUser: "ada", label: "customer=1" };
    const first = await runResponse(store, { begin: ada });
    const other = await runResponse(store, { begin: { ...ada, caller: ACME_OTHER_KEY, label: "customer=2" } });
    const talking = await runResponse(store, {
      begin: { endUser: "bob", placement: await placeIn(store, conversationId) },
      head: { conversationId },
    });
    const plain = await runResponse(store, { end: { status: "cancelled" } });
    const foreign = await runResponse(store, { begin: { ...ada, caller: OTHER } });

    const find = async (filter: Partial<ResponseFilter>) => (await list(suite, filter)).map(({ id }) => id);
    assert.deepEqual(await find({ endUser: "ada" }), [first.id, other.id]);
    assert.deepEqual(await find({ endUser: "ada", label: "customer=1" }), [first.id]);
    assert.deepEqual(await find({ endUser: "ada", keyId: ACME_OTHER_KEY.keyId }), [other.id]);
    assert.deepEqual(await find({ endUser: "ada", status: "failed" }), []);
    assert.deepEqual(await find({ label: "customer=2" }), [other.id]);
    assert.deepEqual(await find({ label: "customer=2", keyId: ACME.keyId }), []);
    assert.deepEqual(await find({ conversationId, endUser: "bob" }), [talking.id]);
    assert.deepEqual(await find({ conversationId, endUser: "ada" }), []);
    assert.deepEqual(await find({ conversationId, label: "" }), [talking.id]);
    assert.deepEqual(await find({ endUser: "" }), [plain.id]);
    assert.deepEqual(await find({ endUser: "", status: "cancelled" }), [plain.id]);
    assert.deepEqual(await find({ label: "" }), [talking.id, plain.id]);
    assert.deepEqual(await find({ label: "", keyId: ACME_OTHER_KEY.keyId }), []);
    assert.deepEqual(await find({ conversationId: "" }), [first.id, other.id, plain.id]);
    assert.deepEqual(await find({ conversationId: "", endUser: "ada", label: "customer=2" }), [other.id]);
    assert.deepEqual(await find({ endUser: "nobody" }), []);
    assert.deepEqual(await find({ organizationId: OTHER.organizationId, endUser: "ada" }), [foreign.id]);
    assert.deepEqual(await find({ organizationId: OTHER.organizationId, conversationId }), []);
    const shown = (await list(suite, {})).map(({ endUser, label }) => [endUser, label]);
    assert.deepEqual(shown, [
      ["ada", "customer=1"],
      ["ada", "customer=2"],
      ["bob", null],
      [null, null],
    ]);
  });

  test("both are erased with the content, of a deleted response and of a deleted history; the response stays", async () => {
    const { store } = suite;
    const begin = { endUser: "eve", label: "customer=3" };
    const alone = await runResponse(store, { begin });
    const conversationId = await makeConversation(store);
    const placement = await placeIn(store, conversationId);
    await runResponse(store, { begin: { ...begin, placement }, head: { conversationId } });
    await store.deleteResponse({ caller: ACME, responseId: alone.id });
    await store.deleteConversation({ caller: ACME, conversationId });
    const subjects = async () => (await list(suite, {})).slice(-2).map(({ endUser, label }) => [endUser, label]);
    assert.deepEqual(await subjects(), [EVE, EVE], "as long as the content is there");
    while ((await store.eraseDeleted({ olderThanDays: 0, batch: 100, mayBlockWrites: false })).more);
    assert.deepEqual(await subjects(), [NONE, NONE]);
    assert.deepEqual(await list(suite, { endUser: "eve" }), []);
    assert.deepEqual(await list(suite, { label: "customer=3" }), []);
  });
});
