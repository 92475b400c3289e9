/** The figures of a run as a table, for terminal and document. */
import { NOT_ASKED } from "../row.ts";
import type { Judged } from "../verdict.ts";

const HEADINGS = ["#", "measure", "ours", "other", "ratio", "spread", "first landing", "goal", "verdict"] as const;

/** The figures of the rows. */
export function figuresTable(figures: readonly Judged[]): string {
  return markdownTable([HEADINGS, ...figures.map(cellsOf)]);
}

/** A Markdown table with padded columns, readable as plain text. The first row has the headings. */
export function markdownTable([headings = [], ...rest]: readonly (readonly string[])[]): string {
  const rows = [headings, ...rest];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [line(headings), rule, ...rest.map(line)].join("\n");
}

function cellsOf({ figure, ours, other, value, low, high, verdict }: Judged): readonly string[] {
  const { id, measure, unit, limit, otherName = "" } = figure;
  return [
    id,
    measure,
    withUnit(ours, unit),
    other === undefined ? "–" : `${withUnit(other, unit)} (${otherName})`,
    other === undefined ? "–" : shortNumber(value),
    `${shortNumber(low)}–${shortNumber(high)}`,
    asked(limit?.firstLanding),
    asked(limit?.goal),
    verdict,
  ];
}

/** A limit, or a dash without one. */
function asked(limit: number | undefined): string {
  return limit === undefined || limit === NOT_ASKED ? "–" : shortNumber(limit);
}

function withUnit(value: number, unit: string): string {
  return unit === "" || unit.startsWith("/") ? `${shortNumber(value)}${unit}` : `${shortNumber(value)} ${unit}`;
}

/** Three significant digits: more would be noise on a shared machine. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
