// Usage as a file for spreadsheets.
import type { UsageRow } from "../../api/client.ts";
import { nameOf, timeNameOf } from "./rows.ts";
import { METRICS, subjectsOf, type UsageSearch } from "./search.ts";

/** The numbers of a row of usage, in the order of the table. */
export const USAGE_NUMBERS = [...METRICS.slice(1), METRICS[0]] as const;

/** The rows and their total as CSV (RFC 4180). */
export function usageCsv(rows: readonly UsageRow[], total: UsageRow | undefined, search: UsageSearch): string {
  const subjects = subjectsOf(search);
  const groups = [...subjects, ...(search.every === "total" ? [] : [search.every])];
  const line = (names: readonly string[], row: UsageRow) =>
    [...names.map(field), ...USAGE_NUMBERS.map(([key]) => String(row[key]))].join(",");
  const namesOf = (row: UsageRow) => [
    ...subjects.map((subject) => nameOf(row, subject)),
    ...(search.every === "total" ? [] : [timeNameOf(row, search.every)]),
  ];
  const totalNames = groups.map((_, index) => (index === 0 ? "total" : ""));
  return [
    [...groups, ...USAGE_NUMBERS.map(([key]) => key)].join(","),
    ...rows.map((row) => line(namesOf(row), row)),
    ...(total === undefined || groups.length === 0 ? [] : [line(totalNames, total)]),
    "",
  ].join("\r\n");
}

/** A text field. A spreadsheet would run a text that begins like a formula: an apostrophe keeps it a text. */
export function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
