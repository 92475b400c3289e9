// Law: after any sequence of responses, top-ups and budget changes, the books agree with a model of a few lines of
// arithmetic. docs/reliability.md, I-10 to I-14
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/base/time.ts";
import fc from "../support/fast-check.ts";
import type { BudgetName } from "../../src/core/money/budgets.ts";
import type { Usage } from "../../src/contract/resources.ts";
import { TESTS } from "../support/actor.ts";
import { answers, beginOf, endOf, headOf, says, settleOf, START_MS } from "../store/fixtures.ts";
import { openFor } from "../store/sqlite-files.ts";

const RUNS = 150;

/** One nano-credit a token of input, three a token of output. */
const PRICES = JSON.stringify({ input: 1e6, cached_input: 1e6, cache_write: 1e6, output: 3e6, tiers: [] });

const BUDGETS = [
  { scope: "response", period: "total" },
  { scope: "key", period: "day" },
  { scope: "key", period: "total" },
  { scope: "member", period: "month" },
  { scope: "organization-day", period: "day" },
  { scope: "organization", period: "total" },
] as const;

type Action =
  | { readonly do: "top up" | "begin" | "begin free"; readonly amount: bigint; readonly key: number }
  | { readonly do: "extend"; readonly turn: number; readonly needed: bigint; readonly ahead: bigint }
  | { readonly do: "release"; readonly turn: number; readonly amount: bigint }
  | {
      readonly do: "settle";
      readonly turn: number;
      readonly input: number;
      readonly output: number;
      readonly fails: boolean;
    }
  | { readonly do: "withdraw" | "settle again"; readonly turn: number }
  | { readonly do: "set budget"; readonly budget: number; readonly limit: bigint }
  | { readonly do: "clear budget"; readonly budget: number }
  | { readonly do: "raise budget"; readonly budget: number; readonly amount: bigint; readonly days: number }
  | { readonly do: "next day" };

const amount = fc.bigInt({ min: 1n, max: 1000n });
const orNone = fc.oneof(fc.constant(0n), amount);
const days = fc.constantFrom(1, 1, 2);
const turn = fc.nat({ max: 30 });
const tokens = fc.oneof(fc.constant(0), fc.nat({ max: 300 }));
const budget = fc.nat({ max: BUDGETS.length - 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("top up" as const), amount, key: fc.constant(0) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("begin" as const), amount, key: fc.nat({ max: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("begin free" as const), amount: fc.constant(0n), key: fc.nat({ max: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("extend" as const), turn, needed: orNone, ahead: amount }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("release" as const), turn, amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      turn,
      input: tokens,
      output: tokens,
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("withdraw" as const, "settle again" as const), turn }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("set budget" as const), budget, limit: fc.bigInt({ min: 0n, max: 1000n }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear budget" as const), budget }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("raise budget" as const), budget, amount: orNone, days }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("next day" as const) }) },
);

interface ModelledResponse {
  readonly id: `resp_${string}`;
  readonly isFree: boolean;
  readonly key: number;
  readonly day: number;
  held: bigint;
  charged: bigint | null;
}

/** The ledger as kept on paper. */
class Model {
  credits = 0n;
  day = 0;
  readonly turns: ModelledResponse[] = [];
  readonly limits = new Map<number, bigint>();
  readonly raises = new Map<number, { readonly amount: bigint; readonly untilDay: number }>();

  /** The limit of each budget, with the raise that is in force today. */
  limitsNow(): [number, bigint][] {
    return Array.from(this.limits, ([index, limit]) => {
      const raise = this.raises.get(index);
      return [index, limit + (raise && this.day < raise.untilDay ? raise.amount : 0n)];
    });
  }

  /** The budgets that a response counts against, with the amounts used and spent in that response's period. */
  countedFor(of: { key: number; day: number }): { scope: string; limit: bigint; used: bigint; spent: bigint }[] {
    return this.limitsNow()
      .map(([index, limit]) => ({ ...(BUDGETS[index] ?? BUDGETS[0]), limit }))
      .filter(
        ({ scope }) =>
          scope !== "response" && (scope === "organization" || scope === "organization-day" || of.key === 0),
      )
      .map(({ scope, period, limit }) => {
        const isOfKey = scope === "key" || scope === "member";
        const counted = this.turns.filter(
          ({ key, day }) => (!isOfKey || key === 0) && periodOf(period, day) === periodOf(period, of.day),
        );
        const used = counted.reduce((sum, { held, charged }) => sum + (charged ?? held), 0n);
        const spent = counted.reduce((sum, { charged }) => sum + (charged ?? 0n), 0n);
        return { scope, limit, used, spent };
      });
  }

  get responseLimit(): bigint | undefined {
    return this.limitsNow().find(([index]) => index === 0)?.[1];
  }

  running(index: number): ModelledResponse | undefined {
    const open = this.turns.filter(({ charged }) => charged === null);
    return open[index % open.length];
  }
}

function periodOf(period: "day" | "month" | "total", day: number): string {
  const date = new Date(day * DAY_MS).toISOString();
  return { day: date.slice(0, 10), month: date.slice(0, 7), total: "" }[period];
}

const least = (...amounts: bigint[]) => amounts.reduce((low, next) => (next < low ? next : low));
const notBelowZero = (value: bigint) => (value < 0n ? 0n : value);

test("the books agree with the model after any script of responses, top-ups and budgets", async (t) => {
  const { store, clock } = await openFor(t);
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (script) => {
      const name = `run_${++made}`;
      const organizationId = `org_${name}`;
      await store.createOrganization({ by: TESTS, id: organizationId, name, createdAt: 1 });
      const memberId = `mem_${name}`;
      const member = { id: memberId, organizationId, email: "a@b.test", role: "member" } as const;
      await store.addMember({ by: TESTS, ...member, createdAt: 1 });
      // The first key belongs to the member, the second to no member.
      const keys = [`key_${name}_a`, `key_${name}_b`];
      for (const [index, id] of keys.entries()) {
        const key = { id, organizationId, memberId: index === 0 ? memberId : null, name: id, createdAt: 1 } as const;
        const secret = { lookup: `look_${id}`, hash: id };
        await store.createKey({ by: TESTS, key: { ...key, permission: "all", revokedAt: null }, secret });
      }
      const nameOf = (index: number): BudgetName => {
        const { scope, period } = BUDGETS[index] ?? BUDGETS[0];
        return { scope, period, id: scope === "key" ? (keys[0] ?? "") : scope === "member" ? memberId : null };
      };
      const model = new Model();
      model.day = Math.floor(clock.nowMs() / DAY_MS);
      let topUps = 0;

      for (const act of script) {
        switch (act.do) {
          case "top up": {
            const transactionId = `txn_${name}_${++topUps}`;
            await store.addCredits({ by: TESTS, transactionId, organizationId, amountNano: act.amount, createdAt: 1 });
            model.credits += act.amount;
            break;
          }
          case "begin":
          case "begin free": {
            const isFree = act.do === "begin free";
            const head = headOf({ createdAt: START_MS / 1000 });
            const caller = { organizationId, keyId: keys[act.key] ?? "" };
            const funds = isFree ? null : { prices: PRICES, holdNano: act.amount };
            const outcome = await store.beginResponse(beginOf(head, { caller, funds }));
            const counted = model.countedFor({ key: act.key, day: model.day });
            const short = counted.some(({ limit, used, spent }) => limit <= (isFree ? spent : used));
            if (short) assert.ok(outcome.kind === "shortage" && outcome.shortage.kind === "budget");
            else if (act.amount > model.credits)
              assert.ok(outcome.kind === "shortage" && outcome.shortage.kind === "credits");
            else {
              const left = counted.map(({ limit, used }) => limit - used);
              const held = isFree ? 0n : least(act.amount, model.responseLimit ?? act.amount, ...left);
              assert.deepEqual(outcome, held === act.amount ? { kind: "begun" } : { kind: "begun", heldNano: held });
              model.credits -= held;
              model.turns.push({ id: head.id, isFree, key: act.key, day: model.day, held, charged: null });
            }
            break;
          }
          case "extend": {
            const running = model.running(act.turn);
            if (running === undefined || running.isFree) break;
            const known = { responseId: running.id, heldNano: running.held };
            const amounts = { neededNano: act.needed, aheadNano: act.ahead };
            const { grantedNano, shortage } = await store.extendHold({ ...known, ...amounts });
            const shared = [
              ...model.countedFor(running).map(({ limit, used }) => notBelowZero(limit - used)),
              model.credits,
            ];
            const own = notBelowZero((model.responseLimit ?? running.held + act.needed + act.ahead) - running.held);
            const isShort = least(own, ...shared) < act.needed;
            const ahead = least(act.ahead, own - act.needed, ...shared.map((left) => (left - act.needed) / 2n));
            const granted = isShort ? 0n : act.needed + ahead;
            assert.equal(grantedNano, granted);
            assert.equal(shortage !== null, isShort);
            running.held += granted;
            model.credits -= granted;
            break;
          }
          case "release": {
            const running = model.running(act.turn);
            if (running === undefined) break;
            await store.releaseHold({ responseId: running.id, amountNano: act.amount });
            if (act.amount >= running.held) break;
            running.held -= act.amount;
            model.credits += act.amount;
            break;
          }
          case "settle": {
            const running = model.running(act.turn);
            if (running === undefined) break;
            const usage: Usage = {
              input_tokens: act.input,
              input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
              output_tokens: act.output,
              output_tokens_details: { reasoning_tokens: 0 },
              total_tokens: act.input + act.output,
            };
            const end = endOf([answers("a")], { usage, status: act.fails ? "failed" : "completed" });
            const charge = await store.settleResponse(settleOf(running.id, [says("q")], end));
            const charged = running.isFree ? 0n : BigInt(act.input + 3 * act.output);
            const left = running.held - charged;
            const shortfall = notBelowZero(-left - model.credits);
            assert.deepEqual(charge, { chargedNano: charged, shortfallNano: shortfall });
            model.credits += left + shortfall;
            running.charged = charged;
            break;
          }
          case "withdraw": {
            const running = model.running(act.turn);
            if (running === undefined) break;
            assert.equal(await store.withdrawResponse({ responseId: running.id }), true);
            model.credits += running.held;
            model.turns.splice(model.turns.indexOf(running), 1);
            break;
          }
          case "settle again": {
            const ended = model.turns.find(({ charged }) => charged !== null);
            if (ended === undefined) break;
            assert.equal(await store.settleResponse(settleOf(ended.id, [], endOf([]))), null);
            break;
          }
          case "set budget":
            await store.setBudget({ organizationId, name: nameOf(act.budget), limitNano: act.limit, by: TESTS });
            model.limits.set(act.budget, act.limit);
            break;
          case "clear budget":
            if (!model.limits.delete(act.budget)) break;
            model.raises.delete(act.budget);
            await store.clearBudget({ organizationId, name: nameOf(act.budget), by: TESTS });
            break;
          case "raise budget": {
            // One of the budgets that are set.
            const index = [...model.limits.keys()][act.budget % model.limits.size];
            if (index === undefined) break;
            const raise = { amountNano: act.amount, untilMs: clock.nowMs() + act.days * DAY_MS };
            await store.raiseBudget({ organizationId, name: nameOf(index), raise, by: TESTS });
            model.raises.set(index, { amount: act.amount, untilDay: model.day + act.days });
            break;
          }
          case "next day":
            clock.advance(DAY_MS);
            model.day++;
            break;
          default:
            act satisfies never;
        }
        assert.equal((await store.findOrganization({ idOrName: organizationId }))?.creditsNano, model.credits);
      }
      const { differences } = await store.reconcile({ organizationId });
      assert.deepEqual(differences, []);
    }),
    { numRuns: RUNS },
  );
});
