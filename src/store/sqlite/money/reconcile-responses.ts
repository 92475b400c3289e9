// Reconciling the responses with the ledger, with what they used at their prices, and with the rows of usage.
import { chargeOf } from "../../../core/accounts/prices.ts";
import { formatDay } from "../../../core/accounts/billing-day.ts";
import type { Connection } from "../database/connection.ts";
import { readSnapshot } from "./price-snapshots.ts";
import type { Compare } from "./reconcile-compare.ts";
import { compareCounts, type OpenHolds } from "./reconcile-ledger.ts";
import { each } from "../database/statement.ts";

/** Of an organization: held by its running responses, charged for its ended ones. */
interface ResponseSums {
  heldNano: bigint;
  chargedNano: bigint;
}

/** Reads all responses in the order they began; the holds that the ledger left open must be those of the ones that run. */
export function readResponses(
  connection: Connection,
  organizationId: string | null,
  openHolds: OpenHolds,
  compare: Compare,
): { sums: ReadonlyMap<string, ResponseSums>; count: number } {
  const sums = new Map<string, ResponseSums>();
  let count = 0;
  const usage = matchUsage(compare);
  const usageRows = eachUsage(connection, { organizationId })[Symbol.iterator]();
  let usageRow = usageRows.next();
  for (const row of eachResponse(connection, { organizationId })) {
    count++;
    // Both begin with the oldest day and go on together: one day's usage is waiting at a time.
    for (; !usageRow.done && usageRow.value.day < row.day; usageRow = usageRows.next()) usage.record(usageRow.value);
    const sum = sums.get(row.organizationId) ?? { heldNano: 0n, chargedNano: 0n };
    sums.set(row.organizationId, sum);
    if (row.isRunning === 1) {
      sum.heldNano += BigInt(row.heldNano);
      compareHeld(row, openHolds, compare);
    } else {
      sum.chargedNano += BigInt(row.chargedNano);
      compareCharged(row, compare);
      usage.expect(row);
    }
  }
  for (; !usageRow.done; usageRow = usageRows.next()) usage.record(usageRow.value);
  usage.compareRest();
  for (const [responseId, hold] of openHolds) {
    compareCounts(responseId, hold, compare);
    compare("response.held", {
      organizationId: hold.organizationId,
      of: responseId,
      recorded: 0n,
      expected: hold.heldNano,
    });
  }
  return { sums, count };
}

function compareHeld({ id, organizationId, heldNano }: ResponseRow, openHolds: OpenHolds, compare: Compare): void {
  const hold = openHolds.get(id);
  openHolds.delete(id);
  if (hold !== undefined) compareCounts(id, hold, compare, true);
  const expected = hold?.heldNano ?? 0n;
  compare("response.held", { organizationId, of: id, recorded: BigInt(heldNano), expected });
}

function compareCharged(row: ResponseRow, compare: Compare): void {
  const whose = { organizationId: row.organizationId, of: row.id, recorded: BigInt(row.chargedNano) };
  compare("response.charged", { ...whose, expected: BigInt(row.settledNano ?? "0") });
  compare("response.price", { ...whose, expected: priceOf(row) });
}

/** What a response costs by its own prices; one without is free. */
function priceOf(row: ResponseRow): bigint {
  if (row.prices === null) return 0n;
  return chargeOf(readSnapshot(row.prices), {
    input_tokens: row.inputTokens,
    input_tokens_details: { cached_tokens: row.cachedTokens, cache_write_tokens: row.cacheWriteTokens },
    output_tokens: row.outputTokens,
    output_tokens_details: { reasoning_tokens: row.reasoningTokens },
    total_tokens: row.inputTokens + row.outputTokens,
  });
}

/** What usage is counted by. */
interface Group {
  readonly organizationId: string;
  readonly day: number;
  readonly keyId: string;
  readonly memberId: string;
  readonly model: string;
}

interface Tokens {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

type UsageRow = Group & Tokens & { readonly responses: number; readonly chargedNano: string };

const COUNTED = [
  "responses",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "charged",
] as const;

type Figures = Record<(typeof COUNTED)[number], bigint>;

/**
 * Matches rows of usage with the responses that they count, in whatever order both come: a row leaves when the two sides are equal,
 * and what is left at the end is not what the responses say.
 */
function matchUsage(compare: Compare) {
  const open = new Map<string, { group: Group; recorded: Figures; expected: Figures }>();
  const add = (side: "recorded" | "expected", row: UsageRow) => {
    const { organizationId, day, keyId, memberId, model } = row;
    const name = JSON.stringify([organizationId, day, keyId, memberId, model]);
    const group = { organizationId, day, keyId, memberId, model };
    const matched = open.get(name) ?? { group, recorded: noFigures(), expected: noFigures() };
    addFigures(matched[side], row);
    if (COUNTED.every((counted) => matched.recorded[counted] === matched.expected[counted])) open.delete(name);
    else open.set(name, matched);
  };
  return {
    record: (row: UsageRow) => add("recorded", row),
    expect: (row: ResponseRow) => add("expected", { ...row, responses: 1 }),
    compareRest: () => {
      for (const { group, recorded, expected } of open.values()) {
        const { organizationId, day, keyId, memberId, model } = group;
        const of = [formatDay(day), keyId, memberId === "" ? "-" : memberId, model].join(" ");
        for (const counted of COUNTED) {
          const figures = { recorded: recorded[counted], expected: expected[counted] };
          compare(`usage.${counted}`, { organizationId, of, ...figures });
        }
      }
    },
  };
}

function noFigures(): Figures {
  return {
    responses: 0n,
    input_tokens: 0n,
    cached_tokens: 0n,
    cache_write_tokens: 0n,
    output_tokens: 0n,
    reasoning_tokens: 0n,
    charged: 0n,
  };
}

function addFigures(figures: Figures, row: UsageRow): void {
  figures.responses += BigInt(row.responses);
  figures.input_tokens += BigInt(row.inputTokens);
  figures.cached_tokens += BigInt(row.cachedTokens);
  figures.cache_write_tokens += BigInt(row.cacheWriteTokens);
  figures.output_tokens += BigInt(row.outputTokens);
  figures.reasoning_tokens += BigInt(row.reasoningTokens);
  figures.charged += BigInt(row.chargedNano);
}

interface ResponseRow extends Group, Tokens {
  readonly id: string;
  readonly isRunning: 0 | 1;
  readonly heldNano: string;
  readonly chargedNano: string;
  /** Null: nothing was settled. */
  readonly settledNano: string | null;
  readonly prices: string | null;
}

/**
 * Every response by its number: `id > 0` holds of each, and says that the whole table is meant to be read. A settlement's kind stands there
 * twice since the index of settlements is known by the first of the two.
 */
const eachResponse = each<{ organizationId: string | null }, ResponseRow>(`
  select r.public_id                               as id,
         r.organization_id                         as organizationId,
         coalesce(r.billing_day, -1)               as day,
         r.key_id                                  as keyId,
         coalesce(r.member_id, '')                 as memberId,
         r.model,
         r.completed_at is null                    as isRunning,
         coalesce(r.input_tokens, 0)               as inputTokens,
         coalesce(r.cached_tokens, 0)              as cachedTokens,
         coalesce(r.cache_write_tokens, 0)         as cacheWriteTokens,
         coalesce(r.output_tokens, 0)              as outputTokens,
         coalesce(r.reasoning_tokens, 0)           as reasoningTokens,
         cast(r.held_nano as text)                 as heldNano,
         cast(coalesce(r.charged_nano, 0) as text) as chargedNano,
         (select cast(t.amount_nano as text)
            from ledger_transfers t
           where t.response_id = r.public_id
             and t.kind in ('settle', 'void')
             and t.kind = 'settle')                as settledNano,
         r.prices
    from responses r
   where r.id > 0
     and (:organizationId is null or r.organization_id = :organizationId)
   order by r.id`);

const eachUsage = each<{ organizationId: string | null }, UsageRow>(`
  select organization_id            as organizationId,
         day,
         key_id                     as keyId,
         member_id                  as memberId,
         model,
         responses,
         input_tokens               as inputTokens,
         cached_tokens              as cachedTokens,
         cache_write_tokens         as cacheWriteTokens,
         output_tokens              as outputTokens,
         reasoning_tokens           as reasoningTokens,
         cast(charged_nano as text) as chargedNano
    from usage_by_day
   where rowid > 0
     and (:organizationId is null or organization_id = :organizationId)
   order by rowid`);
