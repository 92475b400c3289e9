// Usage as a file for spreadsheets.
import type { UsageRow } from "../../api/client.ts";
import type { UsageGroup } from "../search.ts";

/** The numbers of a row of usage, in the order of the table. */
export const USAGE_NUMBERS = [
  ["responses", "Responses"],
  ["input_tokens", "Input"],
  ["cached_tokens", "Cached"],
  ["cache_write_tokens", "Cache write"],
  ["output_tokens", "Output"],
  ["reasoning_tokens", "Reasoning"],
  ["credits", "Credits"],
] as const satisfies readonly (readonly [keyof UsageRow, string])[];

/** What a row is about. */
export function groupOf(row: UsageRow, by: UsageGroup): string {
  const names: Readonly<Record<UsageGroup, string | null | undefined>> = {
    day: row.day,
    hour: row.hour,
    model: row.model,
    key: row.name ?? row.key ?? "without a key",
    member: row.email ?? row.member ?? "without a member",
  };
  return names[by] ?? "";
}

/** The rows and their total as CSV (RFC 4180). */
export function usageCsv(rows: readonly UsageRow[], total: UsageRow | undefined, by: UsageGroup): string {
  const line = (name: string, row: UsageRow) =>
    [field(name), ...USAGE_NUMBERS.map(([key]) => String(row[key]))].join(",");
  return [
    [by, ...USAGE_NUMBERS.map(([key]) => key)].join(","),
    ...rows.map((row) => line(groupOf(row, by), row)),
    ...(total === undefined ? [] : [line("total", total)]),
    "",
  ].join("\r\n");
}

/** A text field. A spreadsheet would run a text that begins like a formula: an apostrophe keeps it a text. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
