// Failed creates, counted by hour: those that had a response with its end, in the transaction that stores it; rejected
// ones in batches. Sums of failed responses so equal the log of turns.
import { HOUR_MS } from "../../base/time.ts";
import { FAILURE_GROUPINGS } from "../../contract/manage/failure-counts.ts";
import type { CountedFailures, FailureSeries, FailureStore, FailureSum } from "../../ports/store/failures.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { change, many, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

interface Row {
  readonly organizationId: string;
  readonly hour: number;
  readonly kind: string;
  readonly code: string;
  /** Empty: null. */
  readonly model: string;
  readonly provider: string;
  readonly failures: number;
}

const COUNTED: RowBuffer<Row> = rowBuffer();

/** Counts a failure in the sums that are written before the commit. */
export function countFailure(series: FailureSeries, nowMs: number, tx: Transaction): void {
  add(COUNTED(tx), rowOf({ ...series, failures: 1 }, nowMs));
}

/** Writes the sums of counted failures. */
export function* writeFailures(tx: Transaction): Steps<void> {
  yield* writeRows(tx, COUNTED(tx));
}

/** Adds failures that were counted elsewhere. */
export function* addFailures(tx: Transaction, counted: readonly CountedFailures[], nowMs: number): Steps<void> {
  const rows = new Map<string, Row>();
  for (const failures of counted) add(rows, rowOf(failures, nowMs));
  yield* writeRows(tx, rows);
}

function rowOf({ model, provider, ...series }: CountedFailures, nowMs: number): Row {
  return { ...series, hour: Math.floor(nowMs / HOUR_MS), model: model ?? "", provider: provider ?? "" };
}

function add(rows: Map<string, Row>, row: Row): void {
  const { organizationId, hour, kind, code, model, provider } = row;
  const name = [organizationId, hour, kind, code, model, provider].join(" ");
  rows.set(name, { ...row, failures: row.failures + (rows.get(name)?.failures ?? 0) });
}

/** In the order of their keys, so that two transactions that write the same rows wait for each other, but never both. */
function* writeRows(tx: Transaction, rows: ReadonlyMap<string, Row>): Steps<void> {
  if (rows.size === 0) return;
  const part = Math.floor(Math.random() * tx.settings.usageParts);
  const inOrder = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [, row] of inOrder) yield* addRow(tx, { ...row, part });
}

/** FailureStore.sumFailures. */
export const sumFailures = plainProcedure(
  "aside",
  function* (
    tx,
    { organizationId, from, to, by, limit }: Parameters<FailureStore["sumFailures"]>[0],
  ): Steps<readonly FailureSum[]> {
    const [hour, kind, code, model, provider] = FAILURE_GROUPINGS.map((grouping) => (by.includes(grouping) ? 1 : 0));
    const grouped = {
      byHour: hour ?? 0,
      byKind: kind ?? 0,
      byCode: code ?? 0,
      byModel: model ?? 0,
      byProvider: provider ?? 0,
    };
    return yield* selectSums(tx, { organizationId, from, to, limit, ...grouped });
  },
);

type Grouped = { byHour: number; byKind: number; byCode: number; byModel: number; byProvider: number };

// By the unique index, one organization after the other: a cross join keeps this order in SQLite.
const selectSums = many<
  Grouped & { organizationId: string | null; from: number; to: number; limit: number },
  FailureSum
>(`
  select case when cast(:byHour as integer) = 1 then f.hour end                    as hour,
         case when cast(:byKind as integer) = 1 then f.kind end                    as kind,
         case when cast(:byCode as integer) = 1 then f.code end                    as code,
         case when cast(:byModel as integer) = 1 then nullif(f.model, '') end       as model,
         case when cast(:byProvider as integer) = 1 then nullif(f.provider, '') end as provider,
         sum(f.failures)                                                          as failures
    from organizations o
   cross join failures_by_hour f
   where f.organization_id = o.id
     and (cast(:organizationId as text) is null or o.id = :organizationId)
     and f.hour between :from and :to
   group by 1, 2, 3, 4, 5
   order by 1, 6 desc, 2, 3, 4, 5
   limit +:limit`);

const addRow = write<Row & { part: number }>(`
  insert into failures_by_hour (organization_id, hour, kind, code, model, provider, part, failures)
  values (:organizationId, :hour, :kind, :code, :model, :provider, :part, :failures)
      on conflict (organization_id, hour, kind, code, model, provider, part) do update
     set failures = failures_by_hour.failures + excluded.failures`);

/** Deletes up to `limit` sums of hours before one. */
export const deleteFailuresBefore = change<{ beforeHour: number; limit: number }>(`
  delete from failures_by_hour
   where id in (select id from failures_by_hour where hour < :beforeHour order by hour limit +:limit)`);
