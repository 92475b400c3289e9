// Contract: the lines of a month are the responses by day, key, member, model and label, and add up to its usage, across
// changes of clocks, page by page, and after labels are erased. docs/usage-export.md
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../support/fast-check.ts";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import { formatDay, readMonth } from "../../../src/core/money/billing-day.ts";
import type { UsageLine, UsageLinePlace } from "../../../src/ports/store/usage-lines.ts";
import type { Caller } from "../../../src/ports/store/histories.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, ACME_OTHER_KEY, OTHER, runResponse, usage } from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

const RUNS = 4;
/** So that there are several months. */
const DAYS_BETWEEN = 12;
const PRICES = JSON.stringify({ input: 2e6, cached_input: 1e6, cache_write: 1e6, output: 3e6, tiers: [] });
/** Its key belongs to a member, the others to nobody. */
const ADA: Caller = { organizationId: "org_acme", keyId: "key_ada" };
const ZONES = [null, "Europe/Berlin", "Asia/Kolkata"] as const;

interface Ran extends UsageLinePlace {
  readonly id: string;
  readonly atMs: number;
  readonly input: number;
  readonly output: number;
  readonly chargedNano: bigint;
  readonly savedNano: bigint;
}

const drawn = fc.record({
  caller: fc.constantFrom(ACME, ACME_OTHER_KEY, OTHER, ADA),
  model: fc.constantFrom("acme/small", "acme/large"),
  label: fc.constantFrom(null, "team=a", "team=b"),
  status: fc.constantFrom("completed" as const, "cancelled" as const),
  isFree: fc.boolean(),
  input: fc.nat({ max: 50 }),
  output: fc.nat({ max: 50 }),
  cached: fc.nat({ max: 50 }),
  /** That pass before it. */
  minutes: fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 20_000 })),
  /** By how much the clock of its process is off. */
  seconds: fc.integer({ min: -1800, max: 1800 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export const testUsageLines = describeStore("usage in lines", (suite) => {
  test("the lines of every month and zone are those of the responses, and add up to the usage", async () => {
    await prepare(suite);
    const ran: Ran[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 12 }), async (responses) => {
        suite.clock.advance(DAYS_BETWEEN * DAY_MS);
        for (const turn of responses) ran.push(await run(suite, turn));
        for (const zone of ZONES) {
          const months = new Set(ran.map((turn) => dayOf(turn, zone).slice(0, 7)));
          for (const month of months) await assertMonth(suite, ran, { month, zone });
        }
      }),
      // The responses of a failed run stay: a shorter one would not repeat it.
      { numRuns: RUNS, endOnFailure: true },
    );
    assert.ok(new Set(ran.map((turn) => dayOf(turn, null).slice(0, 7))).size > 1, "several months");

    const months = [...new Set(ran.map((turn) => dayOf(turn, null).slice(0, 7)))];
    for (const { organizationId, keyId, id } of ran) {
      await suite.store.deleteResponse({ caller: { organizationId, keyId }, responseId: id });
    }
    suite.clock.advance(1000);
    await suite.store.eraseDeleted({ olderThanDays: 0, batch: 10_000, mayBlockWrites: true });
    const erased = ran.map((turn) => ({ ...turn, label: null }));
    for (const month of months) await assertMonth(suite, erased, { month, zone: null });
  });

  test("a month without responses has no line", async () => {
    assert.deepEqual(await readMonthOf(suite, { month: "2001-02", zone: null }), []);
  });
});

async function prepare({ store }: Suite): Promise<void> {
  const { organizationId, keyId } = ADA;
  const member = { id: "mem_ada", organizationId, email: "ada@acme.test", role: "member", createdAt: 1 } as const;
  await store.addMember({ by: TESTS, ...member });
  const key = { id: keyId, organizationId, memberId: "mem_ada", name: keyId, permission: "all" } as const;
  const secret = { lookup: "look_ada", hash: "h" };
  await store.createKey({ by: TESTS, key: { ...key, createdAt: 1, revokedAt: null }, secret });
  for (const id of ["org_acme", "org_other"]) {
    const credits = { transactionId: `txn_${id}`, organizationId: id, amountNano: 1_000_000n, createdAt: 1 };
    await store.addCredits({ by: TESTS, ...credits });
  }
}

async function run({ store, clock }: Suite, turn: Drawn): Promise<Ran> {
  const { caller, model, label, status, isFree, input, output, minutes, seconds } = turn;
  const cached = Math.min(turn.cached, input);
  clock.advance(minutes * 60_000);
  const atMs = clock.nowMs();
  const used = { ...usage(input, output), input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 } };
  const { id } = await runResponse(store, {
    head: { model, createdAt: Math.floor(atMs / 1000) + seconds },
    begin: { caller, label, funds: isFree ? null : { prices: PRICES, holdNano: 200n } },
    end: { status, usage: used },
  });
  const chargedNano = isFree ? 0n : BigInt(2 * input - cached + 3 * output);
  const savedNano = isFree ? 0n : BigInt(cached);
  const memberId = caller === ADA ? "mem_ada" : null;
  return { ...caller, id, memberId, model, label, atMs, input, output, chargedNano, savedNano };
}

interface Month {
  readonly month: string;
  readonly zone: string | null;
}

/** The day of the hour in which a response began. */
function dayOf({ atMs }: Ran, zone: string | null): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone ?? "UTC", dateStyle: "short" });
  return format.format(Math.floor(atMs / HOUR_MS) * HOUR_MS);
}

/** Asserts what the lines of a month say: of all organizations, of one, and of a member. */
async function assertMonth(suite: Suite, ran: readonly Ran[], { month, zone }: Month): Promise<void> {
  const within = ran.filter((turn) => dayOf(turn, zone).startsWith(month));
  const label = `${month} in ${zone ?? "UTC"}`;
  for (const [of, whose] of [
    [{ organizationId: null, memberId: null }, within],
    [{ organizationId: "org_acme", memberId: null }, within.filter((turn) => turn.organizationId === "org_acme")],
    [{ organizationId: "org_acme", memberId: "mem_ada" }, within.filter((turn) => turn.memberId === "mem_ada")],
  ] as const) {
    const lines = await readMonthOf(suite, { month, zone }, of);
    assert.deepEqual(sorted(lines.map(factsOf)), sorted(expectedOf(whose, zone)), label);
    const days = readMonth(month) ?? assert.fail(month);
    const [used] = await suite.store.readUsage({ ...of, by: [], ...days, zone, limit: 1 });
    const total = (figure: (line: UsageLine) => number) => lines.reduce((sum, line) => sum + figure(line), 0);
    assert.equal(
      total(({ responses }) => responses),
      used?.responses,
      label,
    );
    assert.equal(
      total(({ inputTokens }) => inputTokens),
      used?.inputTokens,
      label,
    );
    assert.equal(
      total(({ outputTokens }) => outputTokens),
      used?.outputTokens,
      label,
    );
    assert.equal(
      total(({ reasoningTokens }) => reasoningTokens),
      used?.reasoningTokens,
      label,
    );
    assert.equal(
      lines.reduce((sum, line) => sum + line.chargedNano, 0n),
      used?.chargedNano,
      label,
    );
    assert.equal(
      lines.reduce((sum, line) => sum + line.savedNano, 0n),
      used?.savedNano,
      label,
    );
  }
}

interface Whose {
  readonly organizationId: string | null;
  readonly memberId: string | null;
}

const EVERYBODY: Whose = { organizationId: null, memberId: null };
type Line = UsageLine & { readonly day: string };

/** The lines of a month, in pages of two. */
async function readMonthOf({ store }: Suite, { month, zone }: Month, of: Whose = EVERYBODY) {
  const { fromDay, toDay } = readMonth(month) ?? assert.fail(month);
  const lines: Line[] = [];
  for (let day = fromDay; day <= toDay; day++) {
    let page: readonly UsageLine[];
    let after: UsageLinePlace | null = null;
    do {
      page = await store.readUsageLines({ ...of, day, zone, after, limit: 2 });
      lines.push(...page.map((line) => ({ ...line, day: formatDay(day) })));
      after = page.at(-1) ?? null;
    } while (page.length === 2);
  }
  for (const { memberId, memberEmail, keyName, organizationName } of lines) {
    assert.equal(memberEmail, memberId === null ? null : "ada@acme.test");
    assert.ok(keyName !== null && organizationName !== "");
  }
  return lines;
}

interface Facts {
  responses: number;
  input: number;
  output: number;
  chargedNano: bigint;
  savedNano: bigint;
}
type Named = readonly [name: string, facts: Facts];

function nameOf(day: string, { organizationId, keyId, memberId, model, label }: UsageLinePlace): string {
  return JSON.stringify([day, organizationId, keyId, memberId, model, label]);
}

function factsOf({ day, responses, inputTokens, outputTokens, chargedNano, savedNano, ...place }: Line): Named {
  return [nameOf(day, place), { responses, input: inputTokens, output: outputTokens, chargedNano, savedNano }];
}

function expectedOf(ran: readonly Ran[], zone: string | null): readonly Named[] {
  const found = new Map<string, Facts>();
  for (const turn of ran) {
    const name = nameOf(dayOf(turn, zone), turn);
    const facts = found.get(name) ?? { responses: 0, input: 0, output: 0, chargedNano: 0n, savedNano: 0n };
    found.set(name, {
      responses: facts.responses + 1,
      input: facts.input + turn.input,
      output: facts.output + turn.output,
      chargedNano: facts.chargedNano + turn.chargedNano,
      savedNano: facts.savedNano + turn.savedNano,
    });
  }
  return [...found];
}

function sorted(lines: readonly Named[]): readonly Named[] {
  return lines.toSorted(([one], [other]) => (one < other ? -1 : 1));
}
