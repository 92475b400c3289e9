// Contract: tokens of the management interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStore } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";

export const testTokens = describeStore("tokens", (suite) => {
  test("a token keeps its limits and is found until it expires", async () => {
    const { store, clock } = suite;
    const end = Math.floor(clock.nowMs() / 1000) + 60;
    const named = { organizationId: null, role: null, createdAt: 1, revokedAt: null };
    const createdBy = TESTS;
    const limited = { ...named, id: "tok_limited", name: "limited", permissions: "read", expiresAt: end } as const;
    const unlimited = { ...named, id: "tok_all", name: "unlimited", permissions: "all", expiresAt: null } as const;
    for (const token of [limited, unlimited]) {
      // oxlint-disable-next-line no-await-in-loop -- they are listed in this order
      await store.createToken({ by: TESTS, token, secret: { lookup: `look_${token.id}`, hash: "h" } });
    }
    const find = async () =>
      Promise.all([limited, unlimited].map(async ({ id }) => (await store.findToken({ lookup: `look_${id}` }))?.token));
    assert.deepEqual(
      await store.listTokens({ organizationId: null }),
      [limited, unlimited].map((token) => ({ ...token, createdBy })),
    );
    clock.advance(59_000);
    assert.deepEqual(
      (await find()).map((token) => token?.id),
      [limited.id, unlimited.id],
    );
    clock.advance(1000);
    assert.deepEqual(
      (await find()).map((token) => token?.id),
      [undefined, unlimited.id],
    );
    assert.deepEqual(await store.findTokenById({ tokenId: limited.id }), { ...limited, createdBy });
  });
});
