// The inside of a JSON string, code unit by code unit, with the way each one is written: what takes its place is written
// the same way.

/** One UTF-16 code unit of a JSON string. */
export interface Unit {
  /** Where it is written, and how many characters that takes: 1, 2 (`\n`) or 6 (`\u0041`). */
  readonly at: number;
  readonly length: number;
  readonly value: string;
}

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The code units of a string that is written from `start` to `end`, without its quotes. */
export function unitsOf(text: string, start: number, end: number): readonly Unit[] {
  const units: Unit[] = [];
  for (let at = start; at < end; at += units.at(-1)?.length ?? 1) {
    const character = text[at] as string;
    const next = text[at + 1] ?? "";
    const code = /^[\da-f]{4}$/i.exec(text.slice(at + 2, Math.min(at + 6, end)))?.[0];
    if (character !== "\\" || at + 1 >= end) units.push({ at, length: 1, value: character });
    else if (next === "u" && code !== undefined)
      units.push({ at, length: 6, value: String.fromCharCode(Number.parseInt(code, 16)) });
    else units.push({ at, length: 2, value: SHORT[next] ?? next });
  }
  return units;
}

/** Writes another code unit in place of one. Both are of one class, so that neither needs an escape that the other lacks. */
export function rewrite(text: string, { at, length, value }: Unit, other: string): string {
  if (other === value || length === 2) return text.slice(at, at + length);
  if (length === 1) return other;
  const hex = other.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${/[A-F]/.test(text.slice(at + 2, at + 6)) ? hex.toUpperCase() : hex}`;
}
