// Usage: what ended responses used and cost, by key, member, model or time. Each settlement adds to it, so that its
// sums equal the ledger's at every moment.
import type { Steps, Transaction } from "../engine/transaction.ts";
import type { UsageGrouping } from "../../contract/money.ts";
import { formatDay, formatHour } from "../../core/money/billing-day.ts";
import { isUsageTime, type UsageSubject, type UsageTime, usageTimeOf } from "../../core/money/usage-groupings.ts";
import { type Hours, hoursOfDay, usageSpans, type UsageSpan } from "../../core/money/usage-spans.ts";
import type { MoneyStore, UsageGroup, UsageRow, UsageWithSavings } from "../../ports/store/money.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { one, write } from "../engine/statement.ts";
import { type SavingsRow, SUMS, USAGE_STATEMENTS, USAGE_SUBJECTS, type UsageGroupsRow } from "./usage-statements.ts";

type ReadUsage = Parameters<MoneyStore["readUsage"]>[0];

/** MoneyStore.readUsage. */
export const readUsage = plainProcedure("aside", function* (tx, query: ReadUsage): Steps<readonly UsageRow[]> {
  const { organizationId, by, zone = null, limit } = query;
  const { memberId = null, keyId = null, model = null } = query;
  const time = usageTimeOf(by);
  const statements = USAGE_STATEMENTS(subjectsOf(by), time);
  const spans = usageSpans({ ...query, zone }, time);
  const hoursOf = rememberHours(zone);
  const found = new Map<string, UsageRow>();
  for (const span of spans) {
    const { from, to, shift } = span;
    const select = organizationId === null ? statements.ofAll : statements.ofOne;
    for (const row of yield* select(tx, { organizationId, memberId, keyId, model, limit, from, to, shift })) {
      // A sum over a month without responses is a row too.
      if (time === null || row.responses > 0) addRow(found, decodeRow(row, { by, span, hoursOf }));
    }
    if (found.size >= limit) break;
  }
  const rows = [...found.values()];
  // Days come in their order, span after span, unless one of them lies in two.
  if (spans.length > 1 && time === "day") rows.sort((left, right) => beginOf(left) - beginOf(right));
  return rows.slice(0, limit);
});

function subjectsOf(by: readonly UsageGrouping[]): readonly UsageSubject[] {
  return USAGE_SUBJECTS.filter((grouping) => by.includes(grouping));
}

/** Adds a row to that of the same groups: a day in which clocks were changed lies in two spans. */
function addRow(found: Map<string, UsageRow>, row: UsageRow): void {
  const name = JSON.stringify(row.groups.map(({ id }) => id));
  const earlier = found.get(name);
  found.set(name, earlier === undefined ? row : { ...row, ...addSums(earlier, row) });
}

function addSums(sums: UsageWithSavings, more: UsageWithSavings): UsageWithSavings {
  return {
    responses: sums.responses + more.responses,
    inputTokens: sums.inputTokens + more.inputTokens,
    cachedTokens: sums.cachedTokens + more.cachedTokens,
    cacheWriteTokens: sums.cacheWriteTokens + more.cacheWriteTokens,
    outputTokens: sums.outputTokens + more.outputTokens,
    reasoningTokens: sums.reasoningTokens + more.reasoningTokens,
    chargedNano: sums.chargedNano + more.chargedNano,
    savedNano: sums.savedNano + more.savedNano,
  };
}

const beginOf = ({ hours }: UsageRow) => hours?.from ?? 0;

/** How rows of a span are read. */
interface Reading {
  readonly by: readonly UsageGrouping[];
  readonly span: UsageSpan;
  readonly hoursOf: (day: number) => Hours;
}

function decodeRow(row: UsageGroupsRow, reading: Reading): UsageRow {
  const { firstId, firstName, otherId, otherName, timeId, chargedNano, savedNano, ...sums } = row;
  const { by } = reading;
  const time = usageTimeOf(by);
  const counted = time === null ? null : decodeTime[time](timeId ?? 0, reading);
  // The statement has the groupings in an order of its own.
  const subjects = subjectsOf(by);
  const found = [
    { id: firstId, name: firstName },
    { id: otherId, name: otherName },
  ];
  const groups = by.map((grouping) =>
    isUsageTime(grouping) ? { id: counted?.id ?? null, name: null } : decodeSubject(found[subjects.indexOf(grouping)]),
  );
  return { ...sums, groups, hours: counted?.hours ?? null, ...decodeMoney({ chargedNano, savedNano }) };
}

function decodeMoney({ chargedNano, savedNano }: Pick<SavingsRow, "chargedNano" | "savedNano">) {
  return { chargedNano: BigInt(chargedNano), savedNano: BigInt(savedNano) };
}

function decodeSubject({ id, name }: UsageGroup = { id: null, name: null }): UsageGroup {
  // A key without an owner has an empty member id.
  return { id: id === "" ? null : id, name };
}

/** The name of a time, and its hours. */
const decodeTime: Readonly<
  Record<UsageTime, (number: number, reading: Reading) => { readonly id: string | null; readonly hours: Hours }>
> = {
  hour: (hour) => ({ id: formatHour(hour), hours: { from: hour, to: hour } }),
  day: (day, { hoursOf }) => ({ id: formatDay(day), hours: hoursOf(day) }),
  month: (_, { span: { month, from, to } }) => ({ id: month, hours: { from, to } }),
};

/** Finds the hours of a day once, however many rows it has. */
function rememberHours(zone: string | null): (day: number) => Hours {
  const known = new Map<number, Hours>();
  return (day) => {
    const hours = known.get(day) ?? hoursOfDay(day, zone);
    known.set(day, hours);
    return hours;
  };
}

/** Usage of one key between two hours, both inclusive. */
export function* sumUsageOfKey(
  tx: Transaction,
  query: { organizationId: string; keyId: string; from: number; to: number },
): Steps<UsageWithSavings> {
  const row = yield* selectOfKey(tx, query);
  if (row === undefined) throw new Error("A sum has no row.");
  return { ...row, ...decodeMoney(row) };
}

const selectOfKey = one<{ organizationId: string; keyId: string; from: number; to: number }, SavingsRow>(`
  select ${SUMS}
    from usage_by_hour u
   where u.organization_id = :organizationId
     and u.key_id = :keyId
     and u.hour between :from and :to`);

/** The usage of an ended response, or the sum of several in the same row. */
interface Counted extends UsageWithSavings {
  readonly organizationId: string;
  readonly billingHour: number;
  readonly keyId: string;
  readonly memberId: string;
  readonly model: string;
}

const COUNTED: RowBuffer<Counted> = rowBuffer();

/** Adds the usage of an ended response to the sums that are written before the commit. */
export function countUsage(ended: Omit<Counted, "responses">, tx: Transaction): void {
  const { organizationId, billingHour, keyId, memberId, model } = ended;
  const name = `${organizationId} ${billingHour} ${keyId} ${memberId} ${model}`;
  const sums = COUNTED(tx).get(name);
  const added = { ...ended, responses: 1 };
  COUNTED(tx).set(name, sums === undefined ? added : { ...added, ...addSums(sums, added) });
}

/**
 * Writes the usage that has been counted: the rows in the order of their keys, so that two transactions that write the
 * same rows wait for each other, but never both.
 */
export function* writeUsage(tx: Transaction): Steps<void> {
  const part = Math.floor(Math.random() * tx.settings.usageParts);
  const counted = COUNTED(tx);
  for (const name of [...counted.keys()].sort()) {
    const sums = counted.get(name);
    if (sums !== undefined) yield* addUsage(tx, { ...sums, part });
  }
}

const addUsage = write<Counted & { part: number }>(`
  insert into usage_by_hour (organization_id, hour, key_id, member_id, model, part, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano, saved_nano)
  values (:organizationId, :billingHour, :keyId, :memberId, :model, :part, :responses, :inputTokens, :cachedTokens, :cacheWriteTokens, :outputTokens, :reasoningTokens, :chargedNano, :savedNano)
      on conflict (organization_id, hour, key_id, member_id, model, part) do update
     set responses          = usage_by_hour.responses + excluded.responses,
         input_tokens       = usage_by_hour.input_tokens + excluded.input_tokens,
         cached_tokens      = usage_by_hour.cached_tokens + excluded.cached_tokens,
         cache_write_tokens = usage_by_hour.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens      = usage_by_hour.output_tokens + excluded.output_tokens,
         reasoning_tokens   = usage_by_hour.reasoning_tokens + excluded.reasoning_tokens,
         charged_nano       = usage_by_hour.charged_nano + excluded.charged_nano,
         saved_nano         = usage_by_hour.saved_nano + excluded.saved_nano`);
