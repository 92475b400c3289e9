// Contract: the root secret that hashes are made with, and its rotation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { SESSION_LIFETIME } from "../../../src/flows/accounts/session-lifetime.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import { describeStore } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";

const by = TESTS;
/** Keys that every suite has. */
const OTHERS = 3;

/** How many secrets of keys and how many tokens are left, and the ids of those of the organization made here. */
async function left({ store }: { readonly store: Store }, checkValue: string) {
  const { keys, tokens } = await store.listFormerHashes({ checkValue });
  const secrets = keys.reduce((sum, key) => sum + key.secrets, 0);
  assert.deepEqual(await store.countFormerHashes({ checkValue }), { keys: secrets, tokens: tokens.length });
  const own = keys.filter(({ organizationName }) => organizationName === "Rotated").map(({ id }) => id);
  return [secrets, tokens.map(({ id, organizationId }) => [id, organizationId]), own];
}

export const testRootSecret = describeStore("root secret", (suite) => {
  test("a rotation ends sessions and links, marks what is left, and is recorded", async () => {
    const { store, clock } = suite;
    await store.fitsSecret({ checkValue: "one" });
    await store.createOrganization({ by, id: "org_rotated", name: "Rotated", createdAt: 1 });
    const key = { organizationId: "org_rotated", memberId: null, name: "a key", permission: "all" } as const;
    for (const id of ["used", "unused", "revoked"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await store.createKey({
        by,
        key: { ...key, id: `key_${id}`, createdAt: 1, revokedAt: null },
        secret: { lookup: `look_${id}`, hash: `old_${id}` },
      });
    }
    await store.revokeKey({ by, keyId: "key_revoked", revokedAt: 2 });
    const token = { name: "a token", createdAt: 1, revokedAt: null };
    const ofOperator = { organizationId: null, role: null } as const;
    const ofOrganization = { organizationId: "org_rotated", role: "owner" } as const;
    const soon = Math.floor(clock.nowMs() / 1000) + 60;
    for (const [id, owner, expiresAt] of [
      ["tok_limited", ofOperator, soon],
      ["tok_all", ofOperator, null],
      ["tok_own", ofOrganization, null],
    ] as const) {
      const made = { ...token, ...owner, id, permissions: "all", expiresAt } as const;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await store.createToken({
        by,
        sessionId: null,
        token: made,
        secret: { lookup: `look_${id}`, hash: `old_${id}` },
      });
    }
    await store.setOperatorLink({ by, name: "Ada", hash: "link", lifetimeMs: 1000 });
    const session = { id: "ses_1", hash: "session", lifetime: SESSION_LIFETIME, address: null, userAgent: null };
    assert.ok(await store.redeemSignInLink({ hash: "link", passwordHash: null, session }));
    await store.setOperatorLink({ by, name: "Bob", hash: "link_2", lifetimeMs: 1000 });
    assert.deepEqual(await left(suite, "one"), [0, [], []]);

    await assert.rejects(store.rotateRootSecret({ by, from: "another", to: "two" }), AccountError);
    assert.ok(await store.findSession({ hash: "session", lifetime: SESSION_LIFETIME }));
    assert.equal(await store.rotateRootSecret({ by, from: "one", to: "two" }), true);
    assert.equal(await store.rotateRootSecret({ by, from: "one", to: "two" }), false);
    assert.deepEqual(
      [await store.fitsSecret({ checkValue: "one" }), await store.fitsSecret({ checkValue: "two" })],
      [false, true],
    );
    assert.equal(await store.findSession({ hash: "session", lifetime: SESSION_LIFETIME }), null);
    assert.equal(await store.findSignInLink({ hash: "link_2" }), null);
    const tokens = [
      ["tok_own", "org_rotated"],
      ["tok_all", null],
      ["tok_limited", null],
    ];
    assert.deepEqual(await left(suite, "two"), [OTHERS + 2, tokens, ["key_unused", "key_used"]]);
    const [entry] = await store.listAudit({ organizationId: null, before: null, limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.before, entry?.after],
      ["root_secret.rotate", { check: "one" }, { check: "two" }],
    );
  });

  test("a hash is renewed once, and only in place of the one that was proven", async () => {
    const { store, clock } = suite;
    const hashOf = async () => (await store.findKey({ lookup: "look_used" }))?.secretHash;
    await store.renewKeyHash({ lookup: "look_used", from: "another", hash: "new_used", root: "two" });
    assert.equal(await hashOf(), "old_used");
    await store.renewKeyHash({ lookup: "look_used", from: "old_used", hash: "new_used", root: "two" });
    assert.equal(await hashOf(), "new_used");
    for (const id of ["tok_limited", "tok_all", "tok_own"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await store.renewTokenHash({ lookup: `look_${id}`, from: `old_${id}`, hash: `new_${id}`, root: "two" });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      assert.equal((await store.findToken({ lookup: `look_${id}` }))?.secretHash, `new_${id}`);
    }
    assert.deepEqual(await left(suite, "two"), [OTHERS + 1, [], ["key_unused"]]);
    // What is hashed with the current one, and what has ended, is not left.
    const secret = { lookup: "look_unused_2", hash: "new_unused", root: "two" };
    await store.rotateKey({ by, keyId: "key_unused", secret, graceSeconds: 60 });
    assert.deepEqual(await left(suite, "two"), [OTHERS + 1, [], ["key_unused"]]);
    clock.advance(61_000);
    assert.deepEqual(await left(suite, "two"), [OTHERS, [], []]);
  });
});
