// Reads CSV strictly by RFC 4180, with lines that end with CRLF.
import assert from "node:assert/strict";

/** The lines, each with its cells. Throws for what the RFC does not allow. */
export function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let line: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    assert.ok(match, `no cell at ${JSON.stringify(text.slice(at, at + 40))}`);
    const [, quoted, plain = "", end] = match;
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    lines.push(line);
    line = [];
  }
  assert.deepEqual(line, [], "the last line has an end");
  return lines;
}
