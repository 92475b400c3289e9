// The rows of a response's output: of those items that have entered its thread, and of those that no history contains.
import { many, one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import type { ResponseRow } from "./responses.ts";
import { type BodyRow, LISTED_COLUMNS, type ListedRow } from "./item-codec.ts";

/** The output of a response: what has entered its thread, between two positions, and what has not. */
export interface OutputPlace {
  readonly responseId: string;
  readonly threadId: number;
  readonly first: number | null;
  readonly last: number | null;
}

/** The place of a response's output; null while it runs. */
export function outputPlace(response: ResponseRow): OutputPlace | null {
  if (response.completedAt === null) return null;
  const { publicId, threadId, firstPosition, lastPosition } = response;
  return { responseId: publicId, threadId, first: firstPosition, last: lastPosition };
}

/** The first `limit` items of an output, in order. A body longer than `bytesMax` is not read. */
export function* selectOutput(
  tx: Transaction,
  { responseId, ...range }: OutputPlace,
  most: { limit: number; bytesMax: number },
): Steps<readonly OutputRow[]> {
  const listed = yield* selectListedOutput(tx, { ...range, ...most });
  const unlisted = yield* selectUnlistedOutput(tx, { responseId, ...most });
  return unlisted.length === 0 ? listed : [...listed, ...unlisted].sort((a, b) => a.ordinal - b.ordinal);
}

/** An output item with its index in the output. */
interface OutputRow extends BodyRow {
  readonly ordinal: number;
  /** Length of the body, null once erased. */
  readonly bytes: number | null;
}

const OUTPUT_COLUMNS = `
         i.public_id          as publicId,
         i.ordinal,
         octet_length(i.body) as bytes,
         case when octet_length(i.body) <= :bytesMax then i.body end as body`;

const LISTED_OUTPUT = `
    from items i
   where i.thread_id = :threadId
     and i.position between :first and :last
     and i.ordinal is not null
     and i.deleted_at_ms is null`;

const UNLISTED_OUTPUT = `
    from items i
   where i.response_id = :responseId
     and i.position is null`;

type Range = Omit<OutputPlace, "responseId">;
interface Most {
  limit: number;
  bytesMax: number;
}

const selectListedOutput = many<Range & Most, OutputRow>(`
  select ${OUTPUT_COLUMNS} ${LISTED_OUTPUT}
   order by i.position
   limit +:limit`);

const selectUnlistedOutput = many<{ responseId: string } & Most, OutputRow>(`
  select ${OUTPUT_COLUMNS} ${UNLISTED_OUTPUT}
   order by i.ordinal
   limit +:limit`);

/** Bytes of a whole output. */
export function* sumOutput(tx: Transaction, { responseId, ...range }: OutputPlace): Steps<number> {
  const listed = yield* sumListedOutput(tx, range);
  const unlisted = yield* sumUnlistedOutput(tx, { responseId });
  return (listed?.bytes ?? 0) + (unlisted?.bytes ?? 0);
}

const sumListedOutput = one<Range, { readonly bytes: number | null }>(`
  select sum(octet_length(i.body)) as bytes ${LISTED_OUTPUT}`);

const sumUnlistedOutput = one<{ responseId: string }, { readonly bytes: number | null }>(`
  select sum(octet_length(i.body)) as bytes ${UNLISTED_OUTPUT}`);

/** The items of an output as a list has them, in order. */
export function* selectOutputAsListed(
  tx: Transaction,
  { responseId, ...range }: OutputPlace,
): Steps<readonly (ListedRow & { readonly kind: string })[]> {
  const rows = [...(yield* listListedOutput(tx, range)), ...(yield* listUnlistedOutput(tx, { responseId }))];
  return rows.sort((a, b) => a.ordinal - b.ordinal);
}

type ListedOutputRow = ListedRow & { readonly kind: string; readonly ordinal: number };

const listListedOutput = many<Range, ListedOutputRow>(`
  select ${LISTED_COLUMNS},
         i.kind,
         i.ordinal ${LISTED_OUTPUT}`);

const listUnlistedOutput = many<{ responseId: string }, ListedOutputRow>(`
  select ${LISTED_COLUMNS},
         i.kind,
         i.ordinal ${UNLISTED_OUTPUT}`);
