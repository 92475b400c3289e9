// Lines of CSV by RFC 4180, safe to open in a spreadsheet.

/** Null is a cell without anything in it. */
export type Cell = string | number | null;

/** What makes a spreadsheet take a cell for a formula, also after it has trimmed the cell's begin. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A decimal, also a negative one, which no spreadsheet runs. */
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A line with its end. A text that a spreadsheet would run begins with an apostrophe instead. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

function written(cell: Cell): string {
  if (cell === null) return "";
  const text = typeof cell === "string" && FORMULA.test(cell) && !DECIMAL.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
