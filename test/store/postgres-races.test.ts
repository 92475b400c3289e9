// Several stores race on one database, as nodes do. The outcomes are those of calls that are made one after the other.
import assert from "node:assert/strict";
import { before, after, describe, test } from "node:test";
import { BUDGET_PERIODS } from "../../src/contract/money.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { TESTS } from "../support/actor.ts";
import { organizationOf } from "./contract/hold-fixtures.ts";
import {
  ACME,
  addCallers,
  answers,
  beginOf,
  calls,
  createManualClock,
  endOf,
  headOf,
  makeConversation,
  outputs,
  placeIn,
  runResponse,
  says,
  settleOf,
  usage,
} from "./fixtures.ts";
import { databases, openPostgresStore } from "./postgres-databases.ts";

const NODES = 3;
const WHO = { by: TESTS };
/** One nano-credit a token. */
const PRICES = JSON.stringify({ input: 1e6, cached_input: 1e6, cache_write: 1e6, output: 1e6, tiers: [] });
const clock = createManualClock();
let stores: Store[] = [];

/** Runs a call many times at once, in turn on each store. */
function race<Result>(times: number, call: (store: Store, index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(stores[index % NODES]!, index)));
}

/** The suite's store for what happens before and after a race. */
function first(): Store {
  return stores[0]!;
}

async function assertWhole(organizationId: string): Promise<void> {
  assert.deepEqual((await first().reconcile({ organizationId })).differences, []);
  const { brokenAt, last } = await first().checkAudit({ after: { id: 0, hash: "" }, limit: 100_000 });
  assert.equal(brokenAt, null);
  assert.ok(last.id > 0);
}

describe("several stores on one database", () => {
  before(async () => {
    const url = (await databases.server()).url(await databases.create());
    stores = await Promise.all(Array.from({ length: NODES }, () => openPostgresStore({ location: url, clock })));
    await addCallers(first());
  });
  after(() => Promise.all(stores.map((store) => store.close())));

  test("of many requests with one idempotency key, one begins and the others get its claim", async () => {
    for (let round = 0; round < 5; round++) {
      const claim = { endpoint: "POST /responses", key: `key ${round}`, fingerprint: "f" };
      const heads = Array.from({ length: 30 }, () => headOf());
      // oxlint-disable-next-line no-await-in-loop -- one race after the other
      const outcomes = await race(heads.length, (store, at) => store.beginResponse(beginOf(heads[at]!, { claim })));
      const winner = outcomes.findIndex(({ kind }) => kind === "begun");
      for (const [at, outcome] of outcomes.entries()) {
        if (at === winner) continue;
        assert.ok(outcome.kind === "claimed" && outcome.earlier.result.kind === "response");
        assert.equal(outcome.earlier.result.responseId, heads[winner]?.id);
      }
    }
  });

  test("an expired idempotency key is claimed again by one request", async () => {
    const claim = { endpoint: "POST /responses", key: "expired", fingerprint: "f" };
    await runResponse(first(), { begin: { claim } });
    clock.advance(25 * 3_600_000);
    const outcomes = await race(30, (store) => store.beginResponse(beginOf(headOf(), { claim })));
    assert.equal(outcomes.filter(({ kind }) => kind === "begun").length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === "claimed").length, 29);
  });

  test("credits for N responses admit N of 10 N, and the books agree", async () => {
    const org = await organizationOf({ store: first(), clock }, "credits", 1000n);
    const begun = await race(100, async (store) => {
      const head = headOf();
      const funds = { prices: PRICES, holdNano: 100n };
      const { kind } = await store.beginResponse(beginOf(head, { caller: org.caller, funds }));
      return kind === "begun" ? head : null;
    });
    const heads = begun.filter((head) => head !== null);
    assert.equal(heads.length, 10);
    assert.equal(await org.left(), 0n);
    await assertWhole(org.caller.organizationId);
    const charges = await race(heads.length * 3, (store, at) =>
      store.settleResponse(settleOf(heads[at % heads.length]!.id, [says("q")], endOf([answers("a")]))),
    );
    assert.equal(charges.filter((charge) => charge !== null).length, 10);
    await assertWhole(org.caller.organizationId);
  });

  const BUDGETS = [
    { scope: "organization", period: "total" },
    { scope: "organization-day", period: "day" },
    { scope: "member", period: "month" },
    { scope: "key", period: "day" },
  ] as const;
  for (const [place, { scope, period }] of BUDGETS.entries()) {
    test(`a budget of ${scope} (${period}) for N turns admits N of 10 N, and the books agree`, async () => {
      const org = await organizationOf({ store: first(), clock }, `budget${place}`, 1_000_000n);
      const id = { member: org.memberId, key: org.caller.keyId }[scope as string] ?? null;
      await org.setBudget({ scope, id, period }, 500n);
      const outcomes = await race(50, (store) =>
        store.beginResponse(beginOf(headOf(), { caller: org.caller, funds: { prices: PRICES, holdNano: 100n } })),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === "begun").length, 5);
      assert.deepEqual(await org.budgets(), [[0n, 500n]]);
      await assertWhole(org.caller.organizationId);
    });
  }

  test("a budget that is set while responses begin and end counts each of them", async () => {
    const org = await organizationOf({ store: first(), clock }, "meanwhile", 1_000_000n);
    const turn = async (store: Store) => {
      const head = headOf();
      const funds = { prices: PRICES, holdNano: 100n };
      await store.beginResponse(beginOf(head, { caller: org.caller, funds }));
      await store.extendHold({ responseId: head.id, heldNano: 100n, neededNano: 10n, aheadNano: 0n });
      await store.settleResponse(settleOf(head.id, [says("q")], endOf([answers("a")])));
    };
    for (let round = 0; round < 5; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one race after the other
      await race(30, async (store, at) => {
        if (at % 10 !== 5) return turn(store);
        const name = { scope: "organization", id: null, period: BUDGET_PERIODS[(at % 3) as 0 | 1 | 2] } as const;
        await store.setBudget({ ...WHO, organizationId: org.caller.organizationId, name, limitNano: 900_000n });
        return undefined;
      });
      // oxlint-disable-next-line no-await-in-loop -- as above
      await assertWhole(org.caller.organizationId);
      for (const period of BUDGET_PERIODS) {
        const name = { scope: "organization", id: null, period } as const;
        // oxlint-disable-next-line no-await-in-loop -- as above
        await first()
          .clearBudget({ ...WHO, organizationId: org.caller.organizationId, name })
          .catch(() => {});
      }
    }
  });

  test("a call is answered once", async () => {
    const conversationId = await makeConversation(first());
    const begin = { placement: await placeIn(first(), conversationId) };
    const maker = await runResponse(first(), { head: { conversationId }, begin, output: [calls("call_a")] });
    const placement = await placeIn(first(), conversationId);
    const answer = { kind: "answer", of: [{ madeBy: maker.id, callIds: ["call_a"] }] } as const;
    const heads = Array.from({ length: 30 }, () => headOf({ conversationId }));
    const outcomes = await race(heads.length, (store, at) =>
      store.beginResponse(beginOf(heads[at]!, { placement, calls: answer })),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === "begun").length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === "changed").length, 29);
    const winner = heads[outcomes.findIndex(({ kind }) => kind === "begun")]!;
    await first().settleResponse(settleOf(winner.id, [outputs("call_a")], endOf([answers("b")])));
    const late = beginOf(headOf({ conversationId }), { placement, calls: answer });
    assert.deepEqual(await stores[1]!.beginResponse(late), { kind: "changed" });
  });

  test("turns that settle at once on several nodes keep their items together, at contiguous places", async () => {
    const conversationId = await makeConversation(first());
    const placement = await placeIn(first(), conversationId);
    const heads = Array.from({ length: 30 }, () => headOf({ conversationId }));
    await race(heads.length, (store, at) => store.beginResponse(beginOf(heads[at]!, { placement })));
    const settles = heads.map((head) => settleOf(head.id, [says("q")], endOf([answers("a")])));
    const settled = await race(settles.length, (store, at) => store.settleResponse(settles[at]!));
    assert.ok(settled.every((charge) => charge !== null));
    const page = await first().listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 500 });
    assert.ok(page.kind === "page");
    const listed = page.items.map(({ id }) => id);
    for (const { input, output } of settles) {
      const at = listed.indexOf(input[0]!.item.id);
      assert.deepEqual(listed.slice(at, at + 2), [input[0]!.item.id, output[0]!.item.id]);
    }
    assert.equal((await placeIn(first(), conversationId)).kind, "append");
    assert.equal(listed.length, 60);
  });

  test("of settling, withdrawing and deleting one response at once, one outcome stands", async () => {
    const heads = Array.from({ length: 10 }, () => headOf());
    await Promise.all(heads.map((head) => first().beginResponse(beginOf(head))));
    const outcomes = await race(60, (store, at) => {
      const { id } = heads[at % heads.length]!;
      if (at >= 40) return store.withdrawResponse({ responseId: id });
      return store.settleResponse(settleOf(id, [says("q")], endOf([answers("a")]))).then((charge) => charge !== null);
    });
    for (const [place, { id }] of heads.entries()) {
      assert.equal(outcomes.filter((has, at) => at % heads.length === place && has).length, 1);
      const stored = await first().readResponse({ caller: ACME, responseId: id });
      const withdrawn = outcomes.some((has, at) => at >= 40 && at % heads.length === place && has);
      assert.equal(stored === null, withdrawn);
    }
  });

  test("one address joins an organization once, and one owner stays", async () => {
    await first().createOrganization({ by: TESTS, id: "org_people", name: "people", createdAt: 1 });
    const add = (store: Store, id: string, email: string) =>
      store.addMember({ by: TESTS, id, organizationId: "org_people", email, role: "owner", createdAt: 1 });
    const added = await race(10, (store, at) =>
      add(store, `mem_${at}`, at % 2 === 0 ? "Ada@x.test" : "ada@X.test").then(
        () => true,
        (error: Error) => error.name !== "AccountError" && error,
      ),
    );
    assert.equal(added.filter((outcome) => outcome === true).length, 1);
    assert.equal(added.filter((outcome) => outcome === false).length, 9);
    await add(first(), "mem_second", "bob@x.test");
    const [one, other] = await first().listMembers({ organizationId: "org_people" });
    const removed = await race(2, (store, at) =>
      store
        .removeMember({ by: TESTS, organizationId: "org_people", memberId: [one, other][at]!.id })
        .then(() => true)
        .catch((error: Error) => error.name !== "AccountError" && error),
    );
    assert.deepEqual(new Set(removed), new Set([false, true]));
    assert.equal((await first().listMembers({ organizationId: "org_people" })).length, 1);
  });

  test("changes on several nodes leave one chain of audit entries", async () => {
    await race(60, (store, at) => {
      const key = {
        id: `key_r${at}`,
        organizationId: "org_acme",
        memberId: null,
        name: `r${at}`,
        permission: "all",
      } as const;
      const secret = { lookup: `look_r${at}`, hash: "h" };
      return store.createKey({ by: TESTS, key: { ...key, createdAt: 1, revokedAt: null }, secret });
    });
    await assertWhole("org_acme");
    const entries = await first().listAudit({ organizationId: "org_acme", before: null, limit: 60 });
    assert.equal(new Set(entries.map(({ target }) => target)).size, 60);
  });

  test("a key that one node revokes is unknown to the others at once", async () => {
    const lookup = `look_${ACME.keyId}`;
    assert.ok((await race(NODES, (store) => store.findKey({ lookup }))).every((found) => found !== null));
    await first().revokeKey({ by: TESTS, keyId: ACME.keyId, revokedAt: 2 });
    assert.deepEqual(await race(NODES, (store) => store.findKey({ lookup })), [null, null, null]);
    const begun = await race(NODES, (store) => store.beginResponse(beginOf(headOf())));
    assert.deepEqual(
      begun,
      Array.from({ length: NODES }, () => ({ kind: "revoked" })),
    );
  });

  test("turns that end on several nodes report each share of a budget once, and a change is one event in order", async () => {
    const org = await organizationOf({ store: first(), clock }, "events", 100_000n);
    const { organizationId } = org.caller;
    await org.setBudget({ scope: "organization", id: null, period: "total" }, 200n);
    const running = await Promise.all(Array.from({ length: 40 }, () => org.begin(5n)));
    const listed = { organizationId: null, from: { direction: "after", id: 0 }, limit: 10_000 } as const;
    const earlier = await first().listEvents(listed);
    await race<unknown>(80, (store, at) => {
      const turn = running[at];
      if (turn === undefined)
        return store.reportProvider({ provider: `p${at % 4}`, isFailing: true, calls: 3, failures: 3 });
      return store.settleResponse(settleOf(turn.head.id, [says("q")], endOf([answers("a")], { usage: usage(5, 0) })));
    });
    const events = await first().listEvents(listed);
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map((_, index) => index + 1),
    );
    const fresh = events.slice(earlier.length);
    const shares = fresh.filter(({ type }) => type === "budget.reached").map(({ data }) => data["share"]);
    assert.equal(shares.at(-1), 100);
    assert.deepEqual(
      shares,
      [...new Set(shares)].toSorted((one, other) => Number(one) - Number(other)),
    );
    const failing = fresh.filter(({ type }) => type === "provider.failing").map(({ target }) => target);
    assert.deepEqual([failing.length, new Set(failing).size], [4, 4]);
    await assertWhole(organizationId);
  });
});
