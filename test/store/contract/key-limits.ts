// Contract: the limits of a key itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_KEY_LIMITS } from "../../../src/ports/store/limits.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

export const testKeyLimits = describeStore("limits of keys", (suite) => {
  test("what is given of a key's limits changes, and every look-up has them", async () => {
    const { store } = suite;
    const key = {
      id: "key_limited",
      organizationId: "org_acme",
      memberId: null,
      name: "limited",
      permission: "all",
      createdAt: 5,
      revokedAt: null,
      limits: { ...NO_KEY_LIMITS, allowModels: ["acme/small"], tokensPerMinute: 900 },
    } as const;
    const made = await store.createKey({ by: TESTS, key, secret: { lookup: "look_limited", hash: "h" } });
    assert.deepEqual(made.limits, key.limits);
    const limits = { ...NO_KEY_LIMITS, tokensPerMinute: 900, createPerMinute: 3 };
    const change = { allowModels: null, createPerMinute: 3 };
    const changed = await store.updateKey({ by: TESTS, keyId: key.id, limits: change });
    assert.deepEqual([changed.limits, changed.unansweredCalls], [limits, "refuse"]);
    const listed = (await store.listKeys({ organizationId: "org_acme" })).find(({ id }) => id === key.id);
    const page = await store.pageKeys({ organizationId: "org_acme", memberId: null, after: null, limit: 100 });
    for (const found of [
      await store.findKeyById({ keyId: key.id }),
      (await store.findKey({ lookup: "look_limited" }))?.key,
      listed,
      page?.find(({ id }) => id === key.id),
    ]) {
      assert.deepEqual(found?.limits, limits);
    }
    await store.updateKey({ by: TESTS, keyId: key.id, limits: NO_KEY_LIMITS });
    assert.deepEqual((await store.findKey({ lookup: "look_limited" }))?.key.limits, NO_KEY_LIMITS);
  });
});
