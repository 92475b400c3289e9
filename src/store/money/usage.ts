// Usage: what ended responses used and cost, by key, member, model or day. Each settlement adds to it, so that its sums
// equal the ledger's at every moment.
import type { Steps, Transaction } from "../engine/transaction.ts";
import type { UsageGrouping } from "../../contract/money.ts";
import { formatDay } from "../../core/money/billing-day.ts";
import type { UsageRow, UsageSums } from "../../ports/store/money.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { DAY_MAX, hoursOf } from "./budget-sums.ts";
import { plainOperation } from "../engine/operation.ts";
import { many, write } from "../engine/statement.ts";

/** MoneyStore.readUsage. */
export const readUsage = plainOperation(
  "aside",
  function* (
    tx,
    query: {
      organizationId: string;
      by: UsageGrouping | null;
      fromDay: number | null;
      toDay: number | null;
      memberId?: string;
    },
  ): Steps<readonly UsageRow[]> {
    const { organizationId, by, fromDay, toDay, memberId = null } = query;
    const rows = yield* SELECTS[by ?? "all"](tx, {
      organizationId,
      memberId,
      ...hoursOf({ from: fromDay ?? 0, to: toDay ?? DAY_MAX }),
    });
    return rows.map(({ id, chargedNano, ...row }) => ({
      ...row,
      // A key without an owner has an empty member id; a day is a number here.
      id: id === null || id === "" ? null : typeof id === "number" ? formatDay(id) : id,
      chargedNano: BigInt(chargedNano),
    }));
  },
);

interface Parameters {
  readonly organizationId: string;
  readonly memberId: string | null;
  readonly from: number;
  readonly to: number;
}

type Row = Omit<UsageSums, "chargedNano"> & {
  readonly id: string | number | null;
  readonly name: string | null;
  readonly chargedNano: string;
};

const SUMS = `
         coalesce(sum(u.responses), 0)                  as responses,
         coalesce(sum(u.input_tokens), 0)               as inputTokens,
         coalesce(sum(u.cached_tokens), 0)              as cachedTokens,
         coalesce(sum(u.cache_write_tokens), 0)         as cacheWriteTokens,
         coalesce(sum(u.output_tokens), 0)              as outputTokens,
         coalesce(sum(u.reasoning_tokens), 0)           as reasoningTokens,
         cast(coalesce(sum(u.charged_nano), 0) as text) as chargedNano`;

const FILTER = `
   where u.organization_id = :organizationId
     and u.hour between :from and :to
     and (cast(:memberId as text) is null or u.member_id = :memberId)`;

/** Usage of one key between two hours, both inclusive. */
export function* sumUsageOfKey(
  tx: Transaction,
  query: { organizationId: string; keyId: string; from: number; to: number },
): Steps<UsageSums> {
  const [row] = yield* selectOfKey(tx, query);
  if (row === undefined) throw new Error("A sum has no row.");
  const { chargedNano, ...sums } = row;
  return { ...sums, chargedNano: BigInt(chargedNano) };
}

const selectOfKey = many<
  { organizationId: string; keyId: string; from: number; to: number },
  Omit<UsageSums, "chargedNano"> & { readonly chargedNano: string }
>(`
  select ${SUMS}
    from usage_by_hour u
   where u.organization_id = :organizationId
     and u.key_id = :keyId
     and u.hour between :from and :to`);

const selectAll = many<Parameters, Row>(`
  select null as id, null as name, ${SUMS}
    from usage_by_hour u ${FILTER}`);

const selectByKey = many<Parameters, Row>(`
  select u.key_id as id, max(k.name) as name, ${SUMS}
    from usage_by_hour u
    left join api_keys k on k.id = u.key_id ${FILTER}
   group by u.key_id
   order by sum(u.charged_nano) desc, u.key_id`);

const selectByMember = many<Parameters, Row>(`
  select u.member_id as id, max(m.email) as name, ${SUMS}
    from usage_by_hour u
    left join members m on m.id = u.member_id ${FILTER}
   group by u.member_id
   order by sum(u.charged_nano) desc, u.member_id`);

const selectByModel = many<Parameters, Row>(`
  select u.model as id, null as name, ${SUMS}
    from usage_by_hour u ${FILTER}
   group by u.model
   order by sum(u.charged_nano) desc, u.model`);

const selectByDay = many<Parameters, Row>(`
  select u.hour / 24 as id, null as name, ${SUMS}
    from usage_by_hour u ${FILTER}
   group by u.hour / 24
   order by u.hour / 24`);

const SELECTS = {
  all: selectAll,
  key: selectByKey,
  member: selectByMember,
  model: selectByModel,
  day: selectByDay,
} as const;

/** The usage of an ended response, or the sum of several in the same row. */
interface Counted {
  readonly organizationId: string;
  readonly billingHour: number;
  readonly keyId: string;
  readonly memberId: string;
  readonly model: string;
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  chargedNano: bigint;
}

const COUNTED: RowBuffer<Counted & { responses: number }> = rowBuffer();

/** Adds the usage of an ended response to the sums that are written before the commit. */
export function countUsage(ended: Counted, tx: Transaction): void {
  const { organizationId, billingHour, keyId, memberId, model } = ended;
  const counted = COUNTED(tx);
  const name = `${organizationId} ${billingHour} ${keyId} ${memberId} ${model}`;
  const sums = counted.get(name);
  if (sums === undefined) {
    counted.set(name, { ...ended, responses: 1 });
    return;
  }
  sums.responses += 1;
  sums.inputTokens += ended.inputTokens;
  sums.cachedTokens += ended.cachedTokens;
  sums.cacheWriteTokens += ended.cacheWriteTokens;
  sums.outputTokens += ended.outputTokens;
  sums.reasoningTokens += ended.reasoningTokens;
  sums.chargedNano += ended.chargedNano;
}

/** Writes the usage that has been counted. */
export function* writeUsage(tx: Transaction): Steps<void> {
  const part = Math.floor(Math.random() * tx.settings.usageParts);
  for (const sums of COUNTED(tx).values()) yield* addUsage(tx, { ...sums, part });
}

const addUsage = write<Counted & { responses: number; part: number }>(`
  insert into usage_by_hour (organization_id, hour, key_id, member_id, model, part, responses, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, charged_nano)
  values (:organizationId, :billingHour, :keyId, :memberId, :model, :part, :responses, :inputTokens, :cachedTokens, :cacheWriteTokens, :outputTokens, :reasoningTokens, :chargedNano)
      on conflict (organization_id, hour, key_id, member_id, model, part) do update
     set responses          = usage_by_hour.responses + excluded.responses,
         input_tokens       = usage_by_hour.input_tokens + excluded.input_tokens,
         cached_tokens      = usage_by_hour.cached_tokens + excluded.cached_tokens,
         cache_write_tokens = usage_by_hour.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens      = usage_by_hour.output_tokens + excluded.output_tokens,
         reasoning_tokens   = usage_by_hour.reasoning_tokens + excluded.reasoning_tokens,
         charged_nano       = usage_by_hour.charged_nano + excluded.charged_nano`);
