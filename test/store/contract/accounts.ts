// Contract: organizations, members, keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../../src/base/time.ts";
import { AccountError, type ApiKey, NO_RULES } from "../../../src/ports/store/accounts.ts";
import { NO_KEY_LIMITS, NO_LIMITS } from "../../../src/ports/store/limits.ts";
import { describeStore } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";

const key = (id: string, over: Partial<ApiKey> = {}): ApiKey => ({
  id,
  organizationId: "org_acme",
  memberId: null,
  name: "a key",
  permission: "all",
  unansweredCalls: "refuse",
  limits: NO_KEY_LIMITS,
  createdAt: 5,
  revokedAt: null,
  ...over,
});

export const testAccounts = describeStore("accounts", (suite) => {
  test("a change for an unknown organization is rejected, and the error names the organization", async () => {
    const { store } = suite;
    const nowhere = { by: TESTS, organizationId: "org_nowhere" };
    const secret = { lookup: "look_nowhere", hash: "h" };
    const limits = { permissions: "all", expiresAt: null } as const;
    const token = { id: "tok_n", organizationId: "org_nowhere", role: "admin", name: "a token", ...limits } as const;
    for (const make of [
      () =>
        store.createToken({ by: TESTS, sessionId: null, token: { ...token, createdAt: 1, revokedAt: null }, secret }),
      () => store.createKey({ by: TESTS, key: key("key_n", { organizationId: "org_nowhere" }), secret }),
      () => store.addMember({ ...nowhere, id: "mem_n", email: "a@b.test", role: "member", createdAt: 1 }),
      () => store.addCredits({ ...nowhere, transactionId: "txn_n", amountNano: 1n, createdAt: 1 }),
      () => store.updateOrganization({ ...nowhere, plan: true }),
    ]) {
      await assert.rejects(
        make(),
        (error: unknown) => error instanceof AccountError && /org_nowhere/.test(error.message),
      );
    }
  });

  test("a new organization has no plan, no credits and no limits of its own", async () => {
    const made = await suite.store.createOrganization({ by: TESTS, id: "org_new", name: "New", createdAt: 7 });
    assert.deepEqual(made, {
      id: "org_new",
      name: "New",
      plan: false,
      paymentMethod: false,
      suspended: false,
      retentionDays: null,
      rules: NO_RULES,
      deletedAtMs: null,
      erasedAtMs: null,
      creditsNano: 0n,
      heldNano: 0n,
      policy: { allowModels: null, denyModels: [], toolCallsPerTurn: null },
      limits: NO_LIMITS,
      createdAt: 7,
    });
    assert.deepEqual(await suite.store.findOrganization({ idOrName: "org_new" }), made);
    assert.deepEqual(await suite.store.findOrganization({ idOrName: "New" }), made);
    assert.equal(await suite.store.findOrganization({ idOrName: "nobody" }), null);
    assert.ok((await suite.store.listOrganizations()).some(({ id }) => id === "org_new"));
  });

  test("an organization created with credits has a plan and a payment method, each recorded in the audit log", async () => {
    const credits = { transactionId: "txn_served", amountNano: 7n };
    const made = { by: TESTS, id: "org_served", name: "Served", createdAt: 7 };
    const { plan, paymentMethod, creditsNano } = await suite.store.createOrganization({ ...made, credits });
    assert.deepEqual([plan, paymentMethod, creditsNano], [true, true, 7n]);
    const log = await suite.store.listAudit({ organizationId: made.id, before: null, limit: 10 });
    const actions = ["credits.add", "payment_method.set", "plan.start", "organization.create"];
    assert.deepEqual(
      log.map(({ action }) => action),
      actions,
    );
    assert.equal(log[0]?.target, "txn_served");
    assert.deepEqual((await suite.store.reconcile({ organizationId: made.id })).differences, []);
    // All or nothing: when the top-up cannot be posted, the organization is not created.
    const twin = { ...made, id: "org_unserved", name: "Unserved", credits: { ...credits, amountNano: 8n } };
    await assert.rejects(suite.store.createOrganization(twin), AccountError);
    assert.equal(await suite.store.findOrganization({ idOrName: twin.id }), null);
  });

  test("a second organization with the same name is rejected", async () => {
    await assert.rejects(
      suite.store.createOrganization({ by: TESTS, id: "org_twin", name: "org_acme", createdAt: 1 }),
      AccountError,
    );
    assert.equal(await suite.store.findOrganization({ idOrName: "org_twin" }), null);
  });

  test("an update changes the given fields and keeps the others", async () => {
    await suite.store.createOrganization({ by: TESTS, id: "org_up", name: "Up", createdAt: 1 });
    await suite.store.updateOrganization({ by: TESTS, organizationId: "org_up", plan: true, paymentMethod: true });
    const policy = { allowModels: ["a/b"], denyModels: ["c/d"], toolCallsPerTurn: 3 };
    const updated = await suite.store.updateOrganization({
      by: TESTS,
      organizationId: "org_up",
      suspended: true,
      policy,
    });
    assert.deepEqual([updated.plan, updated.paymentMethod, updated.suspended], [true, true, true]);
    assert.deepEqual(updated.policy, policy);
    assert.equal(updated.limits.createPerMinute, null);
    const off = await suite.store.updateOrganization({ by: TESTS, organizationId: "org_up", plan: false });
    assert.deepEqual([off.plan, off.suspended], [false, true]);
    await assert.rejects(
      suite.store.updateOrganization({ by: TESTS, organizationId: "nobody", plan: true }),
      AccountError,
    );
  });

  test("credits add up exactly beyond the safe integers of a number", async () => {
    await suite.store.createOrganization({ by: TESTS, id: "org_rich", name: "Rich", createdAt: 1 });
    const add = { organizationId: "org_rich", createdAt: 2 };
    await suite.store.addCredits({ by: TESTS, ...add, transactionId: "txn_1", amountNano: 900_719_925_474_099_301n });
    const rich = await suite.store.addCredits({ by: TESTS, ...add, transactionId: "txn_2", amountNano: 2n });
    assert.equal(rich.creditsNano, 900_719_925_474_099_303n);
    assert.equal((await suite.store.findOrganization({ idOrName: "Rich" }))?.creditsNano, rich.creditsNano);
  });

  test("top-ups beyond the ledger's maximum are rejected and change nothing", async () => {
    await suite.store.createOrganization({ by: TESTS, id: "org_huge", name: "Huge", createdAt: 1 });
    const add = { by: TESTS, organizationId: "org_huge", createdAt: 2 };
    for (let times = 1; times <= 8; times++) {
      await suite.store.addCredits({ ...add, transactionId: `txn_huge_${times}`, amountNano: 10n ** 18n });
    }
    await assert.rejects(suite.store.addCredits({ ...add, transactionId: "txn_huge", amountNano: 1n }), AccountError);
    assert.equal((await suite.store.findOrganization({ idOrName: "Huge" }))?.creditsNano, 8n * 10n ** 18n);
    assert.deepEqual((await suite.store.reconcile({ organizationId: "org_huge" })).differences, []);
  });

  test("a transaction is posted once, to an organization that exists", async () => {
    const add = { transactionId: "txn_once", organizationId: "org_acme", amountNano: 5n, createdAt: 1 };
    await suite.store.addCredits({ by: TESTS, ...add });
    await suite.store.addCredits({ by: TESTS, ...add });
    await assert.rejects(suite.store.addCredits({ by: TESTS, ...add, amountNano: 6n }), AccountError);
    await assert.rejects(suite.store.addCredits({ by: TESTS, ...add, organizationId: "org_other" }), AccountError);
    await assert.rejects(
      suite.store.addCredits({ by: TESTS, ...add, transactionId: "txn_x", organizationId: "nobody" }),
      AccountError,
    );
    assert.equal((await suite.store.findOrganization({ idOrName: "org_acme" }))?.creditsNano, 5n);
  });

  test("an organization keeps at least one owner", async () => {
    const { store } = suite;
    const organizationId = "org_acme";
    const member = (id: string, role: "owner" | "member") => ({ id, organizationId, email: `${id}@a.b`, role });
    await store.addMember({ by: TESTS, ...member("mem_1", "owner"), createdAt: 1 });
    await store.addMember({ by: TESTS, ...member("mem_2", "member"), createdAt: 2 });
    await assert.rejects(store.removeMember({ by: TESTS, organizationId, memberId: "mem_1" }), AccountError);
    await assert.rejects(
      store.setMemberRole({ by: TESTS, organizationId, memberId: "mem_1", role: "admin" }),
      AccountError,
    );
    assert.deepEqual(await store.setMemberRole({ by: TESTS, organizationId, memberId: "mem_2", role: "owner" }), {
      ...member("mem_2", "owner"),
    });
    await store.removeMember({ by: TESTS, organizationId, memberId: "mem_1" });
    assert.deepEqual(await store.listMembers({ organizationId }), [member("mem_2", "owner")]);
  });

  test("a member is rejected in an unknown organization and when added twice", async () => {
    const add = { id: "mem_a", organizationId: "org_other", email: "a@b.c", role: "member", createdAt: 1 } as const;
    await suite.store.addMember({ by: TESTS, ...add });
    await assert.rejects(suite.store.addMember({ by: TESTS, ...add, id: "mem_b" }), AccountError);
    await assert.rejects(
      suite.store.addMember({ by: TESTS, ...add, id: "mem_c", organizationId: "nobody" }),
      AccountError,
    );
    const unknown = { organizationId: "org_acme", memberId: "mem_a" };
    await assert.rejects(
      suite.store.removeMember({ by: TESTS, ...unknown }),
      AccountError,
      "a member of another organization",
    );
    await assert.rejects(suite.store.setMemberRole({ by: TESTS, ...unknown, role: "owner" }), AccountError);
  });

  test("a removed member's keys stay, without an owner, unless they are to end", async () => {
    const { store } = suite;
    const organizationId = "org_other";
    for (const [memberId, endsKeys] of Object.entries({ mem_k: false, mem_l: true })) {
      const secret = { lookup: `look_${memberId}`, hash: "h" };
      await store.addMember({ by: TESTS, id: memberId, organizationId, email: memberId, role: "member", createdAt: 1 });
      await store.createKey({ by: TESTS, key: key(`key_${memberId}`, { organizationId, memberId }), secret });
      await store.removeMember({ by: TESTS, organizationId, memberId, endsKeys });
      const left = (await store.findKey(secret))?.key;
      // A revoked key is not found.
      assert.equal(left?.memberId, endsKeys ? undefined : null);
    }
  });

  test("a key is found by its lookup id, with its organization as it is now", async () => {
    const { store } = suite;
    const made = key("key_found", { permission: "read" });
    assert.deepEqual(
      await store.createKey({ by: TESTS, key: made, secret: { lookup: "look_found", hash: "h1" } }),
      made,
    );
    await store.updateOrganization({ by: TESTS, organizationId: "org_acme", plan: true, paymentMethod: true });
    const found = await store.findKey({ lookup: "look_found" });
    assert.deepEqual(found?.key, made);
    assert.equal(found?.secretHash, "h1");
    assert.deepEqual(found?.organization, await store.findOrganization({ idOrName: "org_acme" }));
    assert.equal(await store.findKey({ lookup: "look_nowhere" }), null);
    assert.ok((await store.listKeys({ organizationId: "org_acme" })).some(({ id }) => id === "key_found"));
  });

  test("a key of an unknown organization or member is rejected", async () => {
    const { store } = suite;
    const secret = { lookup: "look_lost", hash: "h" };
    await assert.rejects(
      store.createKey({ by: TESTS, key: key("key_l", { organizationId: "nobody" }), secret }),
      AccountError,
    );
    await assert.rejects(
      store.createKey({ by: TESTS, key: key("key_m", { memberId: "nobody" }), secret }),
      AccountError,
    );
    assert.equal(await store.findKey({ lookup: "look_lost" }), null);
  });

  test("a rotated secret works exactly to the end of its grace, the new one at once", async () => {
    const { store, clock } = suite;
    await store.createKey({ by: TESTS, key: key("key_rot"), secret: { lookup: "look_old", hash: "old" } });
    const rotated = await store.rotateKey({
      by: TESTS,
      keyId: "key_rot",
      secret: { lookup: "look_new", hash: "new" },
      graceSeconds: 3600,
    });
    assert.equal(rotated.oldSecretValidUntilMs, clock.nowMs() + HOUR_MS);
    const graceEnd = async () =>
      (await store.listKeys({ organizationId: "org_acme" })).find(({ id }) => id === "key_rot")?.oldSecretsUntilMs;
    assert.equal(await graceEnd(), rotated.oldSecretValidUntilMs);
    clock.advance(HOUR_MS - 1);
    assert.equal((await store.findKey({ lookup: "look_old" }))?.secretHash, "old");
    assert.equal((await store.findKey({ lookup: "look_new" }))?.secretHash, "new");
    assert.equal(await graceEnd(), rotated.oldSecretValidUntilMs);
    clock.advance(1);
    assert.equal(await graceEnd(), null);
    assert.equal(await store.findKey({ lookup: "look_old" }), null);
    assert.equal((await store.findKey({ lookup: "look_new" }))?.secretHash, "new");
  });

  test("a later rotation neither shortens nor lengthens a grace that was promised; one without grace ends it", async () => {
    const { store, clock } = suite;
    await store.createKey({ by: TESTS, key: key("key_twice"), secret: { lookup: "look_t0", hash: "0" } });
    const rotate = (to: number, graceSeconds: number) =>
      store.rotateKey({
        by: TESTS,
        keyId: "key_twice",
        secret: { lookup: `look_t${to}`, hash: String(to) },
        graceSeconds,
      });
    const valid = async () => {
      const keys = await Promise.all([0, 1, 2, 3].map((at) => store.findKey({ lookup: `look_t${at}` })));
      return keys.flatMap((found, at) => (found === null ? [] : [at]));
    };
    await rotate(1, 7 * 24 * 3600);
    await rotate(2, 3600);
    clock.advance(HOUR_MS - 1);
    assert.deepEqual(await valid(), [0, 1, 2]);
    clock.advance(1);
    assert.deepEqual(await valid(), [0, 2]);
    clock.advance(6 * 24 * HOUR_MS);
    await rotate(3, 7 * 24 * 3600);
    assert.deepEqual(await valid(), [0, 2, 3]);
    clock.advance(23 * HOUR_MS);
    assert.deepEqual(await valid(), [2, 3]);
    await rotate(4, 0);
    assert.deepEqual(await valid(), []);
    assert.equal((await store.findKey({ lookup: "look_t4" }))?.secretHash, "4");
  });

  test("a rotation without grace stops the old secret at once", async () => {
    const { store } = suite;
    await store.createKey({ by: TESTS, key: key("key_now"), secret: { lookup: "look_n0", hash: "0" } });
    await store.rotateKey({ by: TESTS, keyId: "key_now", secret: { lookup: "look_n1", hash: "1" }, graceSeconds: 0 });
    assert.equal(await store.findKey({ lookup: "look_n0" }), null);
  });

  test("a revoked key is not found; a repeated revocation returns the first", async () => {
    const { store } = suite;
    await store.createKey({ by: TESTS, key: key("key_rev"), secret: { lookup: "look_rev", hash: "h" } });
    assert.equal((await store.revokeKey({ by: TESTS, keyId: "key_rev", revokedAt: 11 })).revokedAt, 11);
    assert.equal((await store.revokeKey({ by: TESTS, keyId: "key_rev", revokedAt: 12 })).revokedAt, 11);
    assert.equal(await store.findKey({ lookup: "look_rev" }), null);
    const secret = { lookup: "look_rev2", hash: "h" };
    await assert.rejects(store.rotateKey({ by: TESTS, keyId: "key_rev", secret, graceSeconds: 60 }), AccountError);
    await assert.rejects(store.revokeKey({ by: TESTS, keyId: "nobody", revokedAt: 1 }), AccountError);
  });
});
