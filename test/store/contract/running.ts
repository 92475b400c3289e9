// Contract: the list of running responses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, ACME_OTHER_KEY, beginOf, endOf, headOf, OTHER, settleOf, START_MS } from "../fixtures.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

export const testRunning = describeStore("running responses", (suite) => {
  test("the oldest come first, of one organization or of all, until they end", async () => {
    const { store } = suite;
    const createdAt = START_MS / 1000;
    const begin = async (over: Parameters<typeof beginOf>[1], at: number) => {
      const head = headOf({ createdAt: createdAt + at });
      await store.beginResponse(beginOf(head, over));
      return head.id;
    };
    const list = (organizationId: string | null, limit = 10) => store.listRunning({ organizationId, limit });
    assert.deepEqual(await list(null), { responses: [], inProgress: 0, queued: 0 });
    const later = await begin({ status: "queued" }, 5);
    const elsewhere = await begin({ caller: OTHER }, 3);
    const first = await begin({ caller: ACME_OTHER_KEY }, 1);

    const turn = (id: string, { organizationId, keyId }: typeof ACME, at: number, status: string) => {
      return { id, organizationId, keyId, keyName: keyId, model: "acme/small", createdAt: createdAt + at, status };
    };
    const ofAcme = [turn(first, ACME_OTHER_KEY, 1, "in_progress"), turn(later, ACME, 5, "queued")];
    assert.deepEqual(await list("org_acme"), { responses: ofAcme, inProgress: 1, queued: 1 });
    const all = [ofAcme[0], turn(elsewhere, OTHER, 3, "in_progress"), ofAcme[1]];
    assert.deepEqual(await list(null), { responses: all, inProgress: 2, queued: 1 });
    assert.deepEqual(await list(null, 1), { responses: all.slice(0, 1), inProgress: 2, queued: 1 });

    await store.updateOrganization({
      by: TESTS,
      organizationId: ACME.organizationId,
      plan: true,
      paymentMethod: true,
    });
    await store.startResponse({ responseId: later });
    await store.settleResponse(settleOf(first, [], endOf([])));
    await store.withdrawResponse({ responseId: elsewhere });
    assert.deepEqual(await list(null), {
      responses: [turn(later, ACME, 5, "in_progress")],
      inProgress: 1,
      queued: 0,
    });
  });
});
