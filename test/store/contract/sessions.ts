// Contract: the end of a member's sessions by somebody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

const LIFETIME = { idleMs: 1e9, absoluteMs: 1e9 };

export const testSessions = describeStore("sessions", (suite) => {
  test("a member's sessions end only while the member has the role that the decision was based on", async () => {
    const { store } = suite;
    const of = { organizationId: "org_acme", memberId: "mem_ended" };
    const member = { id: of.memberId, organizationId: of.organizationId, email: "ended@a.b", role: "admin" } as const;
    await store.addMember({ by: TESTS, ...member, createdAt: 1 });
    await store.setSignInLink({ by: TESTS, ...of, hash: "link", lifetimeMs: 1000 });
    const session = { id: "ses_a", hash: "h_a", lifetime: LIFETIME, address: null, userAgent: null };
    await store.redeemSignInLink({ hash: "link", passwordHash: null, session });
    const ids = ["ses_a"];
    const listed = async () =>
      (await store.listSessions({ memberId: of.memberId, lifetime: LIFETIME })).map(({ id }) => id);

    const rejected = async (change: { organizationId?: string; memberId?: string; expectedRole: "admin" | "member" }) =>
      assert.rejects(store.endSessions({ by: TESTS, ids, of: { ...of, ...change } }), AccountError);
    await rejected({ expectedRole: "member" });
    await rejected({ expectedRole: "admin", organizationId: "org_other" });
    await rejected({ expectedRole: "admin", memberId: "mem_nobody" });
    assert.deepEqual(await listed(), ids);
    await store.endSessions({ by: TESTS, ids, of: { ...of, expectedRole: "admin" } });
    assert.deepEqual(await listed(), []);
  });
});
