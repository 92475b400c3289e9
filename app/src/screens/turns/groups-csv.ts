// Groups of turns as a file for spreadsheets.
import type { TurnGroups } from "../../api/client.ts";
import { field } from "../usage/csv.ts";

const NUMBERS = ["turns", "failed", "input_tokens", "output_tokens", "credits"] as const;

/** The groups, the others, none and the total as CSV (RFC 4180). */
export function groupsCsv({ by, data, others, none, total }: TurnGroups): string {
  const rows = [
    ...data,
    { id: "others", name: `${others.groups} groups`, ...others },
    { id: "none", name: null, ...none },
    { id: "total", name: null, ...total },
  ];
  return [
    [by, "name", ...NUMBERS].join(","),
    ...rows.map((row) => [field(row.id), field(row.name ?? ""), ...NUMBERS.map((name) => String(row[name]))].join(",")),
    "",
  ].join("\r\n");
}
