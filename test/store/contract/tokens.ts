// Contract: tokens of the management interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeStore } from "./suite.ts";
import { SESSION_LIFETIME } from "../../../src/flows/accounts/session-lifetime.ts";
import type { Actor } from "../../../src/ports/store/audit.ts";
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
      await store.createToken({ by: TESTS, sessionId: null, token, secret: { lookup: `look_${token.id}`, hash: "h" } });
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

  test("no token is made with a session that has ended, or with a token that was revoked or has expired", async () => {
    const { store, clock } = suite;
    const soon = Math.floor(clock.nowMs() / 1000) + 60;
    const make = async (id: string, over: { by?: Actor; sessionId?: string; expiresAt?: number } = {}) => {
      const { by = TESTS, sessionId = null, expiresAt = null } = over;
      const named = { id, name: "made", organizationId: null, role: null, createdAt: 1, revokedAt: null };
      const token = { ...named, permissions: "all", expiresAt } as const;
      return (await store.createToken({ by, sessionId, token, secret: { lookup: `look_${id}`, hash: "h" } }))?.id;
    };
    const operator = { kind: "operator", id: "Grace" } as const;
    await store.setOperatorLink({ by: TESTS, name: operator.id, hash: "link_grace", lifetimeMs: 1000 });
    const session = { id: "ses_grace", hash: "grace", lifetime: SESSION_LIFETIME, address: null, userAgent: null };
    assert.ok(await store.redeemSignInLink({ hash: "link_grace", passwordHash: null, session }));
    const bySession = { by: operator, sessionId: session.id };
    const byToken = (id: string) => ({ by: { kind: "token", id } as const });
    assert.equal(await make("tok_first", bySession), "tok_first");
    assert.equal(await make("tok_second", byToken("tok_first")), "tok_second");
    assert.equal(await make("tok_short", { expiresAt: soon }), "tok_short");
    assert.equal(await make("tok_third", byToken("tok_short")), "tok_third");

    await store.endSessions({ by: TESTS, ids: [session.id], tokensOf: operator });
    clock.advance(60_000);
    for (const over of [
      bySession,
      byToken("tok_first"),
      byToken("tok_second"),
      byToken("tok_short"),
      byToken("none"),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      assert.equal(await make("tok_late", over), undefined);
    }
    assert.equal(await store.findTokenById({ tokenId: "tok_late" }), null);
    assert.notEqual((await store.findTokenById({ tokenId: "tok_second" }))?.revokedAt, null);
  });
});
