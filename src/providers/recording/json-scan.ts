// Finds the texts and numbers in JSON and where they stand, also in JSON that breaks off or is malformed: what
// JSON.parse rejects has content too.
import { endOfString } from "../../base/json.ts";

/** A step of a path: the name of a field, or a position in an array. */
export type Step = string | number;

/** A text, a number or, outside of both, a word that JSON does not know. */
export interface Token {
  readonly kind: "key" | "string" | "number" | "word";
  /** Where it begins and ends, without its quotes. */
  readonly start: number;
  readonly end: number;
  /** The fields and positions that lead to it; of a key, those of its object. */
  readonly path: readonly Step[];
}

interface Frame {
  readonly isArray: boolean;
  step: Step | null;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[^\s[\]{}:,"]+/y;
const LITERALS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** The tokens of a JSON text, in order. */
export function scanJson(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const frames: Frame[] = [];
  let isKey = false;
  const pathNow = () => frames.flatMap(({ step }) => (step === null ? [] : [step]));

  function match(pattern: RegExp, at: number): string | null {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  }

  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    const top = frames.at(-1);
    if (character === '"') {
      const after = endOfString(text, at);
      const end = text[after - 1] === '"' && after - 1 > at ? after - 1 : after;
      if (isKey && top !== undefined) top.step = null;
      tokens.push({ kind: isKey ? "key" : "string", start: at + 1, end, path: pathNow() });
      if (isKey && top !== undefined) top.step = unescape(text.slice(at + 1, end));
      at = after;
      continue;
    }
    if (character === "{" || character === "[") {
      frames.push({ isArray: character === "[", step: character === "[" ? 0 : null });
      isKey = character === "{";
    } else if (character === "}" || character === "]") {
      frames.pop();
      isKey = false;
    } else if (character === ",") {
      if (typeof top?.step === "number") top.step++;
      isKey = top !== undefined && !top.isArray;
    } else if (character === ":") isKey = false;
    else if (!/\s/.test(character)) {
      const number = match(NUMBER, at);
      const found = number ?? match(WORD, at) ?? character;
      const kind = number === null ? "word" : "number";
      if (!LITERALS.has(found)) tokens.push({ kind, start: at, end: at + found.length, path: pathNow() });
      at += found.length;
      continue;
    }
    at++;
  }
  return tokens;
}

function unescape(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}
