// Contract: the conversations of a key, for its holder.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationId } from "../../../src/contract/ids.ts";
import { ACME, ACME_OTHER_KEY, mintConversationId, runResponse, says, START_MS } from "../fixtures.ts";
import { describeStore } from "./suite.ts";

const START = START_MS / 1000;

export const testKeyConversations = describeStore("the conversations of a key", (suite) => {
  const list = (over: object = {}) =>
    suite.store.listKeyConversations({ caller: ACME, before: null, limit: 10, readsMax: 100, ...over });
  const create = async (caller = ACME): Promise<ConversationId> => {
    const id = mintConversationId();
    const conversation = { id, createdAt: START, metadata: {} };
    await suite.store.createConversation({ caller, conversation, items: [], claim: null });
    return id;
  };
  const turn = async (conversationId: ConversationId, text: string, second: number, caller = ACME) => {
    const name = { by: "conversation", conversationId, answeredCallIds: [] } as const;
    const found = await suite.store.findContinuation({ caller, name });
    assert.ok(found !== null);
    const placement = { kind: "append", view: found.view, mayFork: false } as const;
    await runResponse(suite.store, {
      input: [says(text)],
      head: { createdAt: START + second, conversationId },
      begin: { caller, placement },
    });
  };

  test("each is listed once, the last used first, with its first words and its sums; pages cut the same list", async () => {
    const [first, second, empty, deleted] = [await create(), await create(), await create(), await create()];
    const other = await create(ACME_OTHER_KEY);
    await turn(first, `  What is\n a gateway? ${"x".repeat(200)}`, 1);
    await turn(second, "Second", 2);
    await turn(deleted, "Deleted", 3);
    await turn(other, "Of another key", 4, ACME_OTHER_KEY);
    await turn(first, "And why?", 5);
    // Outside of conversations.
    await runResponse(suite.store, { head: { createdAt: START + 6 } });
    await suite.store.deleteConversation({ caller: ACME, conversationId: deleted });
    const found = await list();
    assert.deepEqual(
      found.map(({ place, ...one }) => ({ ...one, place: place.createdAt })),
      [
        {
          id: first,
          title: `${`What is a gateway? ${"x".repeat(200)}`.slice(0, 80)}…`,
          createdAt: START,
          lastUsedAt: START + 5,
          responses: 2,
          chargedNano: 0n,
          place: START + 5,
        },
        {
          id: second,
          title: "Second",
          createdAt: START,
          lastUsedAt: START + 2,
          responses: 1,
          chargedNano: 0n,
          place: START + 2,
        },
      ],
    );
    assert.ok(!found.some(({ id }) => id === empty));
    const [newest] = await list({ limit: 1 });
    assert.equal(newest?.id, first);
    assert.deepEqual(
      (await list({ before: newest?.place ?? null })).map(({ id }) => id),
      [second],
    );
    // Its response was withdrawn since: its second is read again.
    const withdrawn = { createdAt: START + 2, responseId: "resp_withdrawn" };
    assert.deepEqual(
      (await list({ before: withdrawn })).map(({ id }) => id),
      [second],
    );
    assert.deepEqual(
      (await list({ caller: ACME_OTHER_KEY })).map(({ id }) => id),
      [other],
    );
    assert.deepEqual(await list({ caller: { ...ACME, organizationId: "org_other" } }), []);
  });
});
