// What the parts of reconciling share: how they page through whole tables, and how they report figures.
import type { Compared, Difference } from "../../ports/store/money.ts";

/** Compares a pair of figures and records a difference. */
export type Compare = (
  compared: Compared,
  figures: Pick<Difference, "organizationId" | "of" | "recorded" | "expected">,
) => void;

/** Rows read at once. */
export const RECONCILED_PAGE = 1000;

/** Parameters of a page of rows: those of one organization or (null) of all, after a row's number. */
export interface Reconciled {
  readonly organizationId: string | null;
  readonly after: number;
  readonly limit: number;
}
