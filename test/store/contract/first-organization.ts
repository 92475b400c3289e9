// Contract: the organization that a first start creates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import type { OpenStore } from "../fixtures.ts";
import { TESTS } from "../../support/actor.ts";

export function testFirstOrganization(open: OpenStore): void {
  test("a first organization is created whole or not at all, once, and where there was none", async () => {
    const opened = await open();
    const { store } = opened;
    const first = (id: string, amountNano: bigint) => ({
      by: TESTS,
      organization: { id, name: "First", createdAt: 7, credits: { transactionId: `txn_${id}`, amountNano } },
      owner: { id: `mem_${id}`, organizationId: id, email: "a@b.test", role: "owner" as const, createdAt: 7 },
      key: {
        id: `key_${id}`,
        organizationId: id,
        memberId: `mem_${id}`,
        name: "a key",
        permission: "all" as const,
        createdAt: 7,
        revokedAt: null,
      },
      secret: { lookup: `look_${id}`, hash: "h" },
    });
    try {
      await assert.rejects(store.createFirstOrganization(first("org_rich", 10n ** 20n)), AccountError);
      const untold = { ...first("org_keyless", 7n), secret: { lookup: "look", hash: null as unknown as string } };
      await assert.rejects(store.createFirstOrganization(untold));
      assert.deepEqual(await store.listOrganizations(), []);
      assert.equal(await store.createFirstOrganization(first("org_one", 7n)), true);
      const found = await store.findKey({ lookup: "look_org_one" });
      const { plan, paymentMethod, creditsNano } = found?.organization ?? {};
      assert.deepEqual([plan, paymentMethod, creditsNano], [true, true, 7n]);
      const log = await store.listAudit({ organizationId: "org_one", before: null, limit: 10 });
      assert.deepEqual(
        log.map(({ action }) => action),
        ["key.create", "member.add", "credits.add", "payment_method.set", "plan.start", "organization.create"],
      );
      assert.equal(await store.createFirstOrganization(first("org_two", 7n)), false);
      await store.deleteOrganization({ by: TESTS, organizationId: "org_one" });
      assert.equal(await store.createFirstOrganization(first("org_two", 7n)), false);
      assert.deepEqual(await store.listOrganizations(), []);
    } finally {
      await opened.close();
    }
  });
}
