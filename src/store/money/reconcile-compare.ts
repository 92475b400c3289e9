// What the parts of reconciling share: how they page through whole tables, and how they report figures.
import { type PagedRows, readPaged } from "../engine/paged.ts";
import type { Steps } from "../engine/transaction.ts";
import type { Compared, Difference } from "../../ports/store/money.ts";

/** Compares a pair of figures and records a difference. */
export type Compare = (
  compared: Compared,
  figures: Pick<Difference, "organizationId" | "of" | "recorded" | "expected">,
) => void;

/** Rows read at once. */
const RECONCILED_PAGE = 1000;

/** Which rows a page has: up to `limit` after a row's number. */
interface Page {
  readonly after: number;
  readonly limit: number;
}

/** Parameters of a page of rows: those of one organization or (null) of all. */
export interface Reconciled extends Page {
  readonly organizationId: string | null;
}

/** All rows of a select by their numbers. */
export function readAll<Row extends { readonly rowid: number }>(
  select: (page: Page) => Steps<readonly Row[]>,
): PagedRows<Row> {
  return readPaged(RECONCILED_PAGE, (last, limit) => select({ after: last?.rowid ?? 0, limit }));
}
