// The tables of docs/interface.md, for tests that compare the code with the document.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const LINES = readFileSync(new URL("../../docs/interface.md", import.meta.url), "utf8").split("\n");

/** A row: its cells by column heading. */
export type Row = Readonly<Record<string, string>>;

/**
 * The first table with exactly these columns in the chapter with this heading (without `#`). Fails when there is none, so that no test
 * passes on a document without its table.
 */
export function tableOf(chapter: string, columns: readonly string[]): readonly Row[] {
  const lines = linesOf(chapter);
  const heading = lines.findIndex((line) => isSame(cellsOf(line), columns));
  assert.notEqual(heading, -1, `docs/interface.md, ${chapter}: no table with the columns ${columns.join(", ")}`);
  assert.match(lines[heading + 1] ?? "", /^\|(?:-+\|)+$/, `docs/interface.md, ${chapter}: the table has a rule`);
  const rows: Row[] = [];
  for (const line of lines.slice(heading + 2)) {
    const cells = cellsOf(line);
    if (cells === null) break;
    assert.equal(cells.length, columns.length, `docs/interface.md, ${chapter}: ${line}`);
    rows.push(Object.fromEntries(columns.map((column, place) => [column, cells[place] ?? ""])));
  }
  assert.ok(rows.length > 0, `docs/interface.md, ${chapter}: the table is empty`);
  return rows;
}

/** The words in code quotes of a text. */
export function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}

/** The names of a cell such as `temperature, top_p`. */
export function namesIn(cell: string): readonly string[] {
  return cell.split(",").map((name) => name.trim());
}

/** The lines from a heading to the next of its level or above. */
export function linesOf(chapter: string): readonly string[] {
  const start = LINES.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === chapter);
  assert.notEqual(start, -1, `docs/interface.md has a chapter ${chapter}`);
  const level = /^#+/.exec(LINES[start] ?? "")?.[0].length ?? 0;
  const next = LINES.findIndex((line, index) => index > start && (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= level);
  return LINES.slice(start + 1, next === -1 ? undefined : next);
}

function cellsOf(line: string): string[] | null {
  if (!line.startsWith("|") || !line.endsWith("|")) return null;
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

function isSame(cells: readonly string[] | null, columns: readonly string[]): boolean {
  return cells !== null && cells.length === columns.length && cells.every((cell, place) => cell === columns[place]);
}
