// Contract: whatever ran, however it ended and across changes of clocks, usage by the days of a zone adds up to its
// total, to the ledger and to the log of turns. docs/management.md (Usage)
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import fc from "../../support/fast-check.ts";
import type { UsageGrouping } from "../../../src/contract/money.ts";
import { billingDayOf } from "../../../src/core/money/billing-day.ts";
import { readUsageGroupings } from "../../../src/core/money/usage-groupings.ts";
import type { UsageRow } from "../../../src/ports/store/money.ts";
import type { Caller } from "../../../src/ports/store/histories.ts";
import { TESTS } from "../../support/actor.ts";
import { ACME, ACME_OTHER_KEY, OTHER, runResponse, usage } from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

const RUNS = 8;
const LIMIT = 1000;
const PRICES = JSON.stringify({ input: 5e6, cached_input: 1e6, cache_write: 5e6, output: 3e6, tiers: [] });
/** Its key belongs to a member, the others to nobody. */
const ADA: Caller = { organizationId: "org_acme", keyId: "key_ada" };
const CALLERS = [ACME, ACME_OTHER_KEY, OTHER, ADA] as const;
const MODELS = ["acme/small", "acme/large"] as const;
const ZONES = [null, "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"] as const;
const GROUPINGS = ["", "day", "hour", "month", "model", "key,day", "model,key,day", "member,month", "day,organization"];
const ENDS = [
  { status: "completed" },
  { status: "incomplete", incompleteReason: "max_output_tokens" },
  { status: "cancelled" },
  { status: "failed", error: { code: "provider_error", message: "words" } },
] as const;

interface Ran extends Caller {
  readonly memberId: string | null;
  readonly model: string;
  readonly atMs: number;
  readonly input: number;
  readonly output: number;
  readonly chargedNano: bigint;
  readonly savedNano: bigint;
}

const drawn = fc.record({
  caller: fc.constantFrom(...CALLERS),
  model: fc.constantFrom(...MODELS),
  end: fc.constantFrom(...ENDS),
  isFree: fc.boolean(),
  input: fc.nat({ max: 50 }),
  cached: fc.nat({ max: 50 }),
  output: fc.nat({ max: 50 }),
  /** That pass before it. */
  minutes: fc.oneof(fc.nat({ max: 90 }), fc.nat({ max: 3000 })),
});

export const testUsageDays = describeStore("usage by the days of a zone", (suite) => {
  test("rows of every grouping and zone are those of the responses, and add up to the total and to the ledger", async () => {
    await prepare(suite);
    const ran: Ran[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 12 }), async (responses) => {
        toNextChange(suite);
        const fromDay = billingDayOf(suite.clock.nowMs()) - 1;
        for (const { minutes, ...turn } of responses) {
          suite.clock.advance(minutes * 60_000);
          ran.push(await run(suite, turn));
        }
        const toDay = billingDayOf(suite.clock.nowMs()) + 1;
        for (const zone of ZONES) await assertRows(suite, ran, { fromDay, toDay, zone });
        const { differences } = await suite.store.reconcile({ organizationId: null });
        assert.deepEqual(differences, []);
      }),
      // The responses of a failed run stay: a shorter one would not repeat it.
      { numRuns: RUNS, endOnFailure: true },
    );
    const [all] = await suite.store.readUsage({ organizationId: null, by: [], fromDay: null, toDay: null, limit: 1 });
    assert.deepEqual(sumsOf([all]), sumsOf(ran));
    assert.equal(await chargedInLedger(suite), all?.chargedNano);
  });
});

async function prepare({ store }: Suite): Promise<void> {
  const { organizationId, keyId } = ADA;
  await store.addMember({
    by: TESTS,
    id: "mem_ada",
    organizationId,
    email: "ada@acme.test",
    role: "member",
    createdAt: 1,
  });
  const key = { id: keyId, organizationId, memberId: "mem_ada", name: keyId, permission: "all" } as const;
  const secret = { lookup: "look_ada", hash: "h" };
  await store.createKey({ by: TESTS, key: { ...key, createdAt: 1, revokedAt: null }, secret });
  for (const id of ["org_acme", "org_other"]) {
    const credits = { transactionId: `txn_${id}`, organizationId: id, amountNano: 1_000_000n, createdAt: 1 };
    await store.addCredits({ by: TESTS, ...credits });
  }
}

/** Moves the clock to the day before clocks are changed next, in Berlin or New York. */
function toNextChange({ clock }: Suite): void {
  const now = Temporal.Instant.fromEpochMilliseconds(clock.nowMs() + DAY_MS);
  const changes = ["Europe/Berlin", "America/New_York"].map(
    (zone) => now.toZonedDateTimeISO(zone).getTimeZoneTransition("next")?.epochMilliseconds ?? 0,
  );
  clock.advance(Math.min(...changes) - DAY_MS - clock.nowMs());
}

async function run(
  { store, clock }: Suite,
  {
    caller,
    model,
    end,
    isFree,
    input,
    cached,
    output,
  }: Omit<typeof drawn extends fc.Arbitrary<infer T> ? T : never, "minutes">,
): Promise<Ran> {
  const atMs = clock.nowMs();
  const read = Math.min(cached, input);
  const used = { ...usage(input, output), input_tokens_details: { cached_tokens: read, cache_write_tokens: 0 } };
  await runResponse(store, {
    head: { model, createdAt: Math.floor(atMs / 1000) },
    begin: { caller, funds: isFree ? null : { prices: PRICES, holdNano: 200n } },
    end: { ...end, usage: used },
  });
  const chargedNano = isFree ? 0n : BigInt(5 * (input - read) + read + 3 * output);
  const savedNano = isFree ? 0n : BigInt(4 * read);
  return { ...caller, memberId: caller === ADA ? "mem_ada" : null, model, atMs, input, output, chargedNano, savedNano };
}

interface Days {
  readonly fromDay: number;
  readonly toDay: number;
  readonly zone: string | null;
}

/** Asserts what every grouping says about some days. */
async function assertRows(suite: Suite, ran: readonly Ran[], days: Days): Promise<void> {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: days.zone ?? "UTC", dateStyle: "short" });
  const dayOf = ({ atMs }: Ran) => format.format(Math.floor(atMs / HOUR_MS) * HOUR_MS);
  const [first, last] = [days.fromDay, days.toDay].map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));
  const within = ran.filter((turn) => dayOf(turn) >= (first ?? "") && dayOf(turn) <= (last ?? ""));
  const nameOf: Readonly<Record<UsageGrouping, (turn: Ran) => string | null>> = {
    organization: ({ organizationId }) => organizationId,
    key: ({ keyId }) => keyId,
    member: ({ memberId }) => memberId,
    model: ({ model }) => model,
    day: dayOf,
    hour: ({ atMs }) => `${new Date(atMs).toISOString().slice(0, 13)}:00Z`,
    month: (turn) => dayOf(turn).slice(0, 7),
  };
  for (const text of GROUPINGS) {
    const by = text === "" ? [] : (readUsageGroupings(text, "platform") ?? assert.fail(text));
    const rows = await suite.store.readUsage({ organizationId: null, by, ...days, limit: LIMIT });
    const label = `by ${text} in ${days.zone ?? "UTC"}`;
    assert.deepEqual(sumsOf(rows), sumsOf(within), label);
    for (const row of rows) {
      const isOfRow = (turn: Ran) => by.every((grouping, at) => nameOf[grouping](turn) === row.groups[at]?.id);
      assert.deepEqual(sumsOf([row]), sumsOf(within.filter(isOfRow)), `${label}: ${JSON.stringify(row.groups)}`);
    }
    const names = rows.map(({ groups }) => JSON.stringify(groups));
    assert.equal(new Set(names).size, names.length, label);
    if (row0HasTime(rows)) await assertLogged(suite, by, rows, label);
  }
}

const row0HasTime = ([row]: readonly UsageRow[]) => row !== undefined && row.hours !== null;

/** Asserts that the log of turns has the responses of each row, by the filters that the row names. */
async function assertLogged(
  { store }: Suite,
  by: readonly UsageGrouping[],
  rows: readonly UsageRow[],
  label: string,
): Promise<void> {
  const begins = rows.map(({ hours }) => hours?.from ?? 0);
  assert.deepEqual(
    begins,
    begins.toSorted((one, other) => one - other),
    `${label}: in the order of time`,
  );
  const idOf = (row: UsageRow, grouping: UsageGrouping) => row.groups[by.indexOf(grouping)]?.id ?? null;
  for (const row of rows.slice(0, 3)) {
    const { from, to } = row.hours ?? assert.fail(label);
    const organization = idOf(row, "organization");
    const counts = [];
    for (const organizationId of organization === null ? ["org_acme", "org_other"] : [organization]) {
      const memberId = by.includes("member") ? (idOf(row, "member") ?? "") : null;
      const filter = { keyId: idOf(row, "key"), memberId, model: idOf(row, "model"), organizationId };
      const rest = { status: null, failureCode: null, conversationId: null, endUser: null, label: null };
      const times = { from: (from * HOUR_MS) / 1000, to: ((to + 1) * HOUR_MS) / 1000 };
      const page = { filter: { ...filter, ...rest, ...times }, from: null, limit: LIMIT, readsMax: LIMIT };
      counts.push((await store.listResponses(page)).responses.length);
    }
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      row.responses,
      `${label}: ${JSON.stringify(row.groups)}`,
    );
  }
}

interface Sums {
  readonly responses: number;
  readonly tokens: number;
  readonly chargedNano: bigint;
  readonly savedNano: bigint;
}

function sumsOf(rows: readonly (Ran | UsageRow | undefined)[]): Sums {
  const none: Sums = { responses: 0, tokens: 0, chargedNano: 0n, savedNano: 0n };
  return rows.reduce<Sums>((sum, row) => {
    if (row === undefined) return sum;
    const [responses, tokens] =
      "groups" in row ? [row.responses, row.inputTokens + row.outputTokens] : [1, row.input + row.output];
    return {
      responses: sum.responses + responses,
      tokens: sum.tokens + tokens,
      chargedNano: sum.chargedNano + row.chargedNano,
      savedNano: sum.savedNano + row.savedNano,
    };
  }, none);
}

/** What the ledger has charged in both organizations. */
async function chargedInLedger({ store }: Suite): Promise<bigint> {
  let charged = 0n;
  for (const organizationId of ["org_acme", "org_other"]) {
    const query = { organizationId, only: null, before: null, limit: 100_000, readsMax: 100_000 };
    for (const { to, amountNano } of (await store.listTransfers(query)).transfers)
      if (to === "charged") charged += amountNano;
  }
  return charged;
}
