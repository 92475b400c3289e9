// Contract: the feed of events. Each comes with what causes it, once, in an order that a reader can follow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import { AccountError } from "../../../src/ports/store/accounts.ts";
import type { FeedEvent } from "../../../src/ports/store/events.ts";
import { TESTS } from "../../support/actor.ts";
import { organizationOf } from "./hold-fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

const RETENTION = { retentionHours: 24, eventDays: 90 };
const NEWEST = { direction: "before", id: Number.MAX_SAFE_INTEGER } as const;

/** All events of an organization, or of all, oldest first. */
function read({ store }: Suite, organizationId: string | null): Promise<readonly FeedEvent[]> {
  return store.listEvents({ organizationId, from: { direction: "after", id: 0 }, limit: 1000 });
}

export const testEvents = describeStore("events", (suite) => {
  const of = async (organizationId: string, type: string) =>
    (await read(suite, organizationId)).filter((event) => event.type === type);

  test("a change is an event with its actor and the name of the key; one that fails or changes nothing is none", async () => {
    const org = await organizationOf(suite, "changes", 0n);
    const { organizationId, keyId } = org.caller;
    await suite.store.revokeKey({ by: TESTS, keyId, revokedAt: 7 });
    await suite.store.revokeKey({ by: TESTS, keyId, revokedAt: 8 });
    await assert.rejects(suite.store.rotateKey({ by: TESTS, keyId, secret: SECRET, graceSeconds: 1 }), AccountError);
    await suite.store.updateOrganization({ by: TESTS, organizationId, suspended: true });
    await suite.store.removeMember({ by: TESTS, organizationId, memberId: org.memberId });
    const events = await read(suite, organizationId);
    assert.deepEqual(
      events.map(({ type, target, name }) => [type, target, name]),
      [
        ["organization.create", null, null],
        ["member.add", org.memberId, "changes@a.test"],
        ["key.create", keyId, keyId],
        ["key.revoke", keyId, keyId],
        ["organization.suspend", null, null],
        ["member.remove", org.memberId, "changes@a.test"],
      ],
    );
    const { id: _id, ...revoked } = events[3] ?? assert.fail();
    assert.deepEqual(revoked, {
      organizationId,
      organizationName: "changes",
      atMs: suite.clock.nowMs(),
      type: "key.revoke",
      target: keyId,
      name: keyId,
      by: TESTS,
      actorName: null,
      data: { revoked_at: 7 },
    });
  });

  test("a share of a budget is an event once a period and limit, with the highest share that a charge reaches", async () => {
    const org = await organizationOf(suite, "shares", 100_000n);
    const { organizationId, keyId } = org.caller;
    const name = { scope: "key", id: keyId, period: "day" } as const;
    await org.setBudget(name, 100n);
    const spend = async (amount: number) => {
      const { head } = await org.begin(BigInt(amount));
      await org.end(head, amount, 0);
    };
    const shares = async () => (await of(organizationId, "budget.reached")).map(({ data }) => data["share"]);
    await spend(46);
    assert.deepEqual(await shares(), []);
    await spend(4);
    await spend(10);
    assert.deepEqual(await shares(), [50]);
    await spend(40);
    assert.deepEqual(await shares(), [50, 100]);
    const [first] = await of(organizationId, "budget.reached");
    assert.deepEqual([first?.target, first?.name, first?.by], [`key ${keyId} day`, keyId, null]);
    assert.deepEqual(
      { ...first?.data, used_up_at: 0, period_from: "" },
      { share: 50, ...name, limit: 1e-7, spent: 5e-8, used_up_at: 0, period_from: "" },
    );
    // A larger limit has shares of its own, a limit that was set before none.
    await org.setBudget(name, 200n);
    await spend(60);
    await org.setBudget(name, 100n);
    await org.setBudget(name, 200n);
    await spend(3);
    assert.deepEqual(await shares(), [50, 100, 80]);
    suite.clock.advance(DAY_MS);
    await spend(100);
    assert.deepEqual(await shares(), [50, 100, 80, 50]);
  });

  test("a budget that is set to no more than what is spent is used up at once", async () => {
    const org = await organizationOf(suite, "set-below", 100_000n);
    const { organizationId } = org.caller;
    const name = { scope: "organization", id: null, period: "month" } as const;
    const { head } = await org.begin(100n);
    await org.end(head, 100, 0);
    await org.setBudget(name, 101n);
    assert.deepEqual(await of(organizationId, "budget.reached"), []);
    await org.setBudget(name, 60n);
    const [reached, ...others] = await of(organizationId, "budget.reached");
    assert.deepEqual([reached?.data["share"], reached?.data["spent"], others], [100, 1e-7, []]);
  });

  test("a shortage is an event once a period and limit of a budget, and once a top-up", async () => {
    const org = await organizationOf(suite, "shortages", 100n);
    const { organizationId, keyId } = org.caller;
    const { store } = suite;
    const name = { scope: "key", id: keyId, period: "day" } as const;
    await org.setBudget(name, 50n);
    const reject = async (amountNano: bigint) => {
      const { outcome } = await org.begin(amountNano);
      assert.ok(outcome.kind === "shortage");
      await store.reportShortage({ organizationId, shortage: outcome.shortage });
    };
    await org.begin(50n);
    await reject(1n);
    await reject(2n);
    const [rejected, ...others] = await of(organizationId, "budget.rejected");
    assert.deepEqual([rejected?.target, rejected?.name, rejected?.by, others], [`key ${keyId} day`, keyId, null, []]);
    assert.deepEqual(
      { ...rejected?.data, period_from: "" },
      { ...name, period_from: "", limit: 5e-8, spent: 0, held: 5e-8, needed: 1e-9 },
    );
    await org.setBudget(name, 1000n);
    await reject(51n);
    await reject(51n);
    suite.clock.advance(DAY_MS);
    await org.setBudget(name, 50n);
    await org.begin(50n);
    await reject(1n);
    assert.equal((await of(organizationId, "budget.rejected")).length, 2);
    const [poor, ...more] = await of(organizationId, "credits.rejected");
    assert.deepEqual([poor?.target, poor?.data, more], [null, { credits: 5e-8, held: 5e-8, needed: 5.1e-8 }, []]);
  });

  test("turns that settle together report each share once", async () => {
    const org = await organizationOf(suite, "together", 100_000n);
    const { organizationId } = org.caller;
    await org.setBudget({ scope: "organization", id: null, period: "total" }, 100n);
    const begun = await Promise.all(Array.from({ length: 20 }, () => org.begin(4n)));
    // What running responses have reserved is not spent.
    assert.deepEqual(await of(organizationId, "budget.reached"), []);
    await Promise.all(begun.map(({ head }) => org.end(head, 4, 0)));
    const reached = await of(organizationId, "budget.reached");
    assert.deepEqual(
      reached.map(({ data }) => data["share"]),
      // A commit that brings both reports the higher one.
      reached.length === 1 ? [80] : [50, 80],
    );
  });

  test("credits that run low are an event once a top-up", async () => {
    const org = await organizationOf(suite, "credits", 100n);
    const { organizationId } = org.caller;
    const spend = async (amount: number) => {
      const { head } = await org.begin(BigInt(amount));
      await org.end(head, amount, 0);
    };
    const shares = async () => (await of(organizationId, "credits.low")).map(({ data }) => data["share"]);
    // What running responses hold is not spent.
    const { head } = await org.begin(90n);
    assert.deepEqual(await shares(), []);
    await org.end(head, 76, 0);
    assert.deepEqual(await shares(), []);
    await spend(4);
    await spend(20);
    assert.deepEqual(await shares(), [20, 0]);
    await org.topUp(50n);
    await spend(37);
    assert.deepEqual(await shares(), [20, 0]);
    await spend(11);
    assert.deepEqual(await shares(), [20, 0, 5]);
  });

  test("a rotated secret is an event a day before its end, once", async () => {
    const { caller } = await organizationOf(suite, "rotated", 0n);
    const { organizationId, keyId } = caller;
    await suite.store.rotateKey({ by: TESTS, keyId, secret: SECRET, graceSeconds: (3 * DAY_MS) / 1000 });
    const untilMs = suite.clock.nowMs() + 3 * DAY_MS;
    await suite.store.forgetExpired(RETENTION);
    assert.deepEqual(await of(organizationId, "key.secret_ends"), []);
    suite.clock.advance(2 * DAY_MS);
    await suite.store.forgetExpired(RETENTION);
    await suite.store.forgetExpired(RETENTION);
    const [ends, ...more] = await of(organizationId, "key.secret_ends");
    assert.deepEqual(more, []);
    assert.deepEqual([ends?.name, ends?.data], [keyId, { old_secret_valid_until: Math.floor(untilMs / 1000) }]);
  });

  test("a provider's state is an event when it changes, whoever reports it", async () => {
    const report = (isFailing: boolean) =>
      suite.store.reportProvider({ provider: "a", isFailing, calls: 4, failures: isFailing ? 3 : 0 });
    await report(false);
    await Promise.all([report(true), report(true), report(true)]);
    await report(false);
    await report(false);
    const found = (await read(suite, null)).filter(({ organizationId }) => organizationId === null);
    assert.deepEqual(
      found.map(({ type, target, data }) => [type, target, data]),
      [
        ["provider.failing", "a", { calls: 4, failures: 3 }],
        ["provider.recovered", "a", { calls: 4, failures: 0 }],
      ],
    );
  });

  test("ids are in the order of commits and have no gap; a page goes on from an id in both directions", async () => {
    const org = await organizationOf(suite, "paged", 0n);
    const { organizationId } = org.caller;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        suite.store.addMember({
          by: TESTS,
          id: `mem_paged_${index}`,
          organizationId,
          email: `paged${index}@a.test`,
          role: "member",
          createdAt: 1,
        }),
      ),
    );
    const all = await read(suite, null);
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, index) => index + 1),
    );
    const own = await read(suite, organizationId);
    assert.equal(own.length, 23);
    const newest = await suite.store.listEvents({ organizationId, from: NEWEST, limit: 5 });
    assert.deepEqual(newest, own.toReversed().slice(0, 5));
    const older = { direction: "before", id: newest.at(-1)?.id ?? 0 } as const;
    assert.deepEqual(
      await suite.store.listEvents({ organizationId, from: older, limit: 3 }),
      own.toReversed().slice(5, 8),
    );
    const from = { direction: "after", id: own[1]?.id ?? 0 } as const;
    assert.deepEqual(await suite.store.listEvents({ organizationId, from, limit: 2 }), own.slice(2, 4));
  });

  test("the newest events of a length of time are counted by type", async () => {
    const count = (lastMs: number, readsMax = 1000) => suite.store.countEvents({ lastMs, readsMax });
    suite.clock.advance(DAY_MS);
    assert.deepEqual(await count(1000), []);
    const org = await organizationOf(suite, "counted", 0n);
    await org.topUp(1n);
    suite.clock.advance(1000);
    await org.topUp(1n);
    await org.topUp(1n);
    // The second before has not ended yet.
    assert.deepEqual(await count(1001), [
      { type: "credits.add", events: 3 },
      { type: "key.create", events: 1 },
      { type: "member.add", events: 1 },
      { type: "organization.create", events: 1 },
    ]);
    assert.deepEqual(await count(1000), [{ type: "credits.add", events: 2 }]);
    assert.deepEqual(await count(1001, 1), [{ type: "credits.add", events: 1 }]);
  });

  test("events are deleted after their retention, and their ids are not used again", async () => {
    const org = await organizationOf(suite, "old", 0n);
    const { organizationId } = org.caller;
    const [first] = (await read(suite, null)).toReversed();
    suite.clock.advance(90 * DAY_MS + 1);
    assert.ok((await suite.store.forgetExpired(RETENTION)).events >= 3);
    assert.deepEqual(await read(suite, null), []);
    await org.topUp(1n);
    const [next] = await read(suite, organizationId);
    assert.deepEqual([next?.id, next?.type], [(first?.id ?? 0) + 1, "credits.add"]);
  });
});

const SECRET = { lookup: "look_events", hash: "hash_events" };
