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

/** All items of an output, in order. */
export function* selectOutput(tx: Transaction, { responseId, ...range }: OutputPlace): Steps<readonly OutputRow[]> {
  return inOrder(yield* selectListedOutput(tx, range), yield* selectUnlistedOutput(tx, { responseId }));
}

/**
 * An output of a few short items, as nearly every one is, in order; null if it may be another. It is read at once,
 * without a look at the sum of its bytes.
 */
export function* selectShortOutput(
  tx: Transaction,
  { responseId, ...range }: OutputPlace,
): Steps<readonly OutputRow[] | null> {
  const rows = inOrder(yield* selectShortListed(tx, range), yield* selectShortUnlisted(tx, { responseId }));
  return rows.length > SHORT_ITEMS_MAX || rows.some(({ body }) => body === null) ? null : rows;
}

const SHORT_ITEMS_MAX = 8;
const SHORT_BYTES_MAX = 32 * 1024;

function inOrder(listed: readonly OutputRow[], unlisted: readonly OutputRow[]): readonly OutputRow[] {
  return unlisted.length === 0 ? listed : [...listed, ...unlisted].sort((a, b) => a.ordinal - b.ordinal);
}

/** An output item with its index in the output. */
interface OutputRow extends BodyRow {
  readonly ordinal: number;
}

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
const OUTPUT_COLUMNS = `
         i.public_id as publicId,
         i.ordinal,
         i.body      as body`;

const SHORT_OUTPUT_COLUMNS = `
         i.public_id as publicId,
         i.ordinal,
         case when octet_length(i.body) <= ${SHORT_BYTES_MAX} then i.body end as body`;

const selectListedOutput = many<Range, OutputRow>(`
  select ${OUTPUT_COLUMNS} ${LISTED_OUTPUT}
   order by i.position`);

const selectUnlistedOutput = many<{ responseId: string }, OutputRow>(`
  select ${OUTPUT_COLUMNS} ${UNLISTED_OUTPUT}
   order by i.ordinal`);

const selectShortListed = many<Range, OutputRow>(`
  select ${SHORT_OUTPUT_COLUMNS} ${LISTED_OUTPUT}
   order by i.position
   limit ${SHORT_ITEMS_MAX + 1}`);

const selectShortUnlisted = many<{ responseId: string }, OutputRow>(`
  select ${SHORT_OUTPUT_COLUMNS} ${UNLISTED_OUTPUT}
   order by i.ordinal
   limit ${SHORT_ITEMS_MAX + 1}`);

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
