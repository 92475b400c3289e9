// Reconciles the responses with the ledger, with their usage at their prices, and with the rows of usage.
import { chargeOf } from "../../core/money/prices.ts";
import { formatHour } from "../../core/money/billing-day.ts";
import { decodeUsage, parsePriceSnapshot } from "../histories/response-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type Compare, readAll, type Reconciled } from "./reconcile-compare.ts";
import { compareCounts, type OpenHolds } from "./reconcile-ledger.ts";
import type { SumsRow } from "./usage-statements.ts";
import { many } from "../engine/statement.ts";

/** Sums of an organization: held by its running responses, charged for its ended ones. */
interface OrganizationSums {
  heldNano: bigint;
  chargedNano: bigint;
}

/** Sums by organization, and the number of responses. */
export interface ResponseSums {
  readonly sums: ReadonlyMap<string, OrganizationSums>;
  readonly count: number;
}

/** Reads all responses in the order they began. The holds that the ledger left open must belong to the running ones. */
export function* readResponses(
  tx: Transaction,
  organizationId: string | null,
  openHolds: OpenHolds,
  compare: Compare,
): Steps<ResponseSums> {
  const sums = new Map<string, OrganizationSums>();
  let count = 0;
  const usage = matchUsage(compare);
  const usageRows = readAll((page) => selectUsage(tx, { organizationId, ...page }));
  const responses = readAll((page) => selectResponses(tx, { organizationId, ...page }));
  let usageRow = yield* usageRows.next();
  for (let row = yield* responses.next(); row !== undefined; row = yield* responses.next()) {
    count++;
    // Both start at the oldest hour and advance together, so that one hour's usage is pending at a time.
    for (; usageRow !== undefined && usageRow.hour < row.hour; usageRow = yield* usageRows.next()) {
      usage.record(usageRow);
    }
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
  for (; usageRow !== undefined; usageRow = yield* usageRows.next()) usage.record(usageRow);
  usage.compareRest();
  for (const [responseId, hold] of openHolds) {
    compareCounts(responseId, hold, compare);
    compare("response.held", {
      organizationId: hold.organizationId,
      of: responseId,
      recorded: 0n,
      expected: hold.amounts.held,
    });
  }
  return { sums, count };
}

function compareHeld({ id, organizationId, heldNano }: ResponseRow, openHolds: OpenHolds, compare: Compare): void {
  const hold = openHolds.get(id);
  openHolds.delete(id);
  if (hold !== undefined) compareCounts(id, hold, compare, true);
  const expected = hold?.amounts.held ?? 0n;
  compare("response.held", { organizationId, of: id, recorded: BigInt(heldNano), expected });
}

function compareCharged(row: ResponseRow, compare: Compare): void {
  const whose = { organizationId: row.organizationId, of: row.id, recorded: BigInt(row.chargedNano) };
  compare("response.charged", { ...whose, expected: BigInt(row.settledNano ?? "0") });
  compare("response.price", { ...whose, expected: priceOf(row) });
}

/** The cost of a response at its own prices; zero without prices. */
function priceOf(row: ResponseRow): bigint {
  if (row.prices === null) return 0n;
  return chargeOf(parsePriceSnapshot(row.prices), decodeUsage({ ...row, totalTokens: null }));
}

/** The key of a row of usage. */
interface Group {
  readonly organizationId: string;
  readonly hour: number;
  readonly keyId: string;
  readonly memberId: string;
  readonly model: string;
}

type UsageRow = Group & SumsRow & { readonly rowid: number };

/** What is compared of a row of usage, and its columns. */
const FIGURES = [
  ["responses", "responses"],
  ["input_tokens", "inputTokens"],
  ["cached_tokens", "cachedTokens"],
  ["cache_write_tokens", "cacheWriteTokens"],
  ["output_tokens", "outputTokens"],
  ["reasoning_tokens", "reasoningTokens"],
  ["charged", "chargedNano"],
] as const;

type Figures = Record<(typeof FIGURES)[number][1], bigint>;

function noFigures(): Figures {
  return Object.fromEntries(FIGURES.map(([, column]) => [column, 0n])) as Figures;
}

/**
 * Compares rows of usage with the responses that they count, group by group. Rows and responses come in any order; a
 * group is dropped as soon as both sides are equal, so those that are left at the end differ.
 */
function matchUsage(compare: Compare) {
  const open = new Map<string, { group: Group; recorded: Figures; expected: Figures }>();
  const add = (side: "recorded" | "expected", row: Group & SumsRow) => {
    const { organizationId, hour, keyId, memberId, model } = row;
    const name = JSON.stringify([organizationId, hour, keyId, memberId, model]);
    const group = { organizationId, hour, keyId, memberId, model };
    const matched = open.get(name) ?? { group, recorded: noFigures(), expected: noFigures() };
    for (const [, column] of FIGURES) matched[side][column] += BigInt(row[column]);
    if (FIGURES.every(([, column]) => matched.recorded[column] === matched.expected[column])) open.delete(name);
    else open.set(name, matched);
  };
  return {
    record: (row: UsageRow) => add("recorded", row),
    expect: (row: ResponseRow) => add("expected", row),
    compareRest: () => {
      for (const { group, recorded, expected } of open.values()) {
        const { organizationId, hour, keyId, memberId, model } = group;
        const of = [formatHour(hour), keyId, memberId === "" ? "-" : memberId, model].join(" ");
        for (const [figure, column] of FIGURES) {
          compare(`usage.${figure}`, { organizationId, of, recorded: recorded[column], expected: expected[column] });
        }
      }
    },
  };
}

interface ResponseRow extends Group, SumsRow {
  readonly rowid: number;
  readonly id: string;
  readonly isRunning: 0 | 1;
  readonly heldNano: string;
  /** Null: nothing was settled. */
  readonly settledNano: string | null;
  readonly prices: string | null;
}

/**
 * Every response by its number. The kind of settlement is filtered twice: the index on settlements needs the first
 * condition.
 */
const selectResponses = many<Reconciled, ResponseRow>(`
  select r.id                                      as rowid,
         r.public_id                               as id,
         r.organization_id                         as organizationId,
         coalesce(r.billing_hour, r.billing_day * 24, -1) as hour,
         r.key_id                                  as keyId,
         coalesce(r.member_id, '')                 as memberId,
         r.model,
         r.completed_at is null                    as isRunning,
         1                                         as responses,
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
   where r.id > :after
     and (cast(:organizationId as text) is null or r.organization_id = :organizationId)
   order by r.id
   limit +:limit`);

const selectUsage = many<Reconciled, UsageRow>(`
  select rowid,
         organization_id            as organizationId,
         hour,
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
    from usage_by_hour
   where rowid > :after
     and (cast(:organizationId as text) is null or organization_id = :organizationId)
   order by rowid
   limit +:limit`);
