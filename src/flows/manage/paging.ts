// The parameters of lists that are paged by ids, newest first.
import { invalidInput } from "../../contract/errors.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";

/** Reads `limit` and `before`. Throws 400 `invalid_input` for an invalid one. */
export function readPage(query: ReadonlyMap<string, string>): { limit: number; before: number | null } {
  return {
    limit: readWhole("limit", query.get("limit"), 1, AUDIT_PAGE_MAX) ?? AUDIT_PAGE_DEFAULT,
    before: readWhole("before", query.get("before"), 1, Number.MAX_SAFE_INTEGER),
  };
}

/** A page of rows of which one more than `limit` was read, to know whether there are more. */
export function presentPage<Row, Shown>(rows: readonly Row[], limit: number, present: (row: Row) => Shown) {
  return { data: rows.slice(0, limit).map((row) => present(row)), has_more: rows.length > limit };
}

/** Reads a whole number; null when there is none. Throws 400 `invalid_input` for an invalid one. */
export function readWhole(param: string, text: string | undefined, minimum: number, maximum: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= minimum && number <= maximum) return number;
  throw invalidInput(param, `${param} is ${JSON.stringify(text.slice(0, 64))}; allowed: ${minimum} to ${maximum}.`);
}
