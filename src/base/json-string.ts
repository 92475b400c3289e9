// Where a string ends in a JSON text.

/** The end of the string that begins at `start`, after its closing quote; the text's length when it is not closed. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    // After an odd number of backslashes the quote is escaped.
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
