// Long selects, read in pages by key: a procedure sees one row at a time, and memory holds one page.
import type { Steps } from "./transaction.ts";

/** Rows that are read one at a time. */
export interface PagedRows<Row> {
  /** The next row; undefined after the last one. */
  next(): Steps<Row | undefined>;
}

/**
 * Rows in pages of up to `limit`. `readPage` reads the page after a row (undefined: the first page); each page is
 * ordered by the key that the row is compared by.
 */
export function readPaged<Row>(
  limit: number,
  readPage: (last: Row | undefined, limit: number) => Steps<readonly Row[]>,
): PagedRows<Row> {
  let page: readonly Row[] = [];
  let at = 0;
  let isLast = false;
  return {
    *next(): Steps<Row | undefined> {
      if (at === page.length && !isLast) {
        page = yield* readPage(page.at(-1), limit);
        at = 0;
        isLast = page.length < limit;
      }
      return page[at++];
    },
  };
}
