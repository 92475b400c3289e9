// The order of a table's rows by one of its columns.
import { LOCALE } from "./locale.ts";

/** What rows are sorted and found by; null: nothing, such as a time that has not come. */
export type SortValue = string | number | null;

export interface Sorting {
  /** The column's title. */
  readonly title: string;
  readonly isDescending: boolean;
}

const collator = new Intl.Collator(LOCALE, { numeric: true, sensitivity: "base" });

/** The rows in the order of their values. Those without one come last, and equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  isDescending: boolean,
): readonly Row[] {
  const keyed = rows.map((row) => ({ row, value: valueOf(row) }));
  const sign = isDescending ? -1 : 1;
  return keyed
    .toSorted(({ value: one }, { value: other }) => {
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      return sign * compare(one, other);
    })
    .map(({ row }) => row);
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return collator.compare(String(one), String(other));
}

/** The order after one more press on a column's title: numbers begin with the largest. The third press undoes it. */
export function nextSorting(before: Sorting | null, title: string, isNumber: boolean): Sorting | null {
  if (before?.title !== title) return { title, isDescending: isNumber };
  return before.isDescending === isNumber ? { title, isDescending: !isNumber } : null;
}

/** The rows that have every word of a text among their values, whatever its case. */
export function findRows<Row>(
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly SortValue[],
  text: string,
): readonly Row[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const own = valuesOf(row)
      .filter((value) => typeof value === "string")
      .join("\n")
      .toLowerCase();
    return words.every((word) => own.includes(word));
  });
}
