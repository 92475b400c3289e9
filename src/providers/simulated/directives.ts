// Parses directives: input lines that begin with a slash and a known word, and control what a simulated model does.
// Their reference is the table in docs/simulated-models.md, which a test checks against this one.

/** The syntax of every directive. */
export const DIRECTIVES = {
  say: "/say TEXT",
  stream: "/stream COUNT [MILLISECONDS [CHARACTERS]]",
  tool: "/tool NAME [JSON]",
  tools: "/tools",
  refuse: "/refuse [TEXT]",
  json: "/json [JSON]",
  reason: "/reason [TEXT]",
  cite: "/cite URL [TITLE]",
  usage: "/usage [input=N] [output=N] [cached=N] [write=N] [reasoning=N]",
  incomplete: "/incomplete [REASON]",
  fail: "/fail CODE [retry_after=SECONDS] [status=STATUS] [not_run=yes]",
  wait: "/wait MILLISECONDS",
  hang: "/hang",
  history: "/history",
  prompt: "/prompt",
  state: "/state TEXT",
  then: "/then",
} as const;
export type DirectiveWord = keyof typeof DIRECTIVES;

/** A parsed directive. */
export interface Directive {
  readonly word: DirectiveWord;
  /** The arguments, trimmed; empty if there are none. */
  readonly rest: string;
}

/** The part of a text that applies to one round. */
export interface Section {
  readonly directives: readonly Directive[];
  /** The other lines, without blank lines at both ends. */
  readonly text: string;
}

/** The most directives of one text, and steps of one round: no response has room for more. */
export const DIRECTIVES_MAX = 50_000;

/**
 * A directive, its word and its arguments. The expression tells a directive from lines that begin with another word,
 * such as paths and commands of other programs: a text may have millions of those, and to look at each takes a second.
 */
const DIRECTIVE = new RegExp(
  String.raw`(?<=^|[\r\n])\/(${Object.keys(DIRECTIVES).join("|")})(?=[ \t]|[^\S\r\n]*(?:[\r\n]|$))([^\r\n]*)`,
  "g",
);

/**
 * Parses a text into at least one section; `/then` begins the section of the next round of tool results. Directives
 * beyond DIRECTIVES_MAX are ignored.
 */
export function readSections(text: string): readonly Section[] {
  const sections: { directives: Directive[]; texts: string[] }[] = [{ directives: [], texts: [] }];
  let directives = 0;
  let end = 0;
  for (const match of text.matchAll(DIRECTIVE)) {
    if (++directives > DIRECTIVES_MAX) break;
    sections.at(-1)?.texts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [, word, rest = ""] = match;
    if (word === "then") sections.push({ directives: [], texts: [] });
    else sections.at(-1)?.directives.push({ word: word as DirectiveWord, rest: rest.trim() });
  }
  // A text without directives is echoed exactly.
  if (directives === 0) return [{ directives: [], text }];
  sections.at(-1)?.texts.push(text.slice(end));
  return sections.map(({ directives: read, texts }) => ({ directives: read, text: joinLines(texts) }));
}

/** The lines around directives, without blank lines at both ends. */
function joinLines(texts: readonly string[]): string {
  // The line break after a directive belongs to it.
  const all = texts.map((text, index) => (index === 0 ? text : text.replace(/^(?:\r\n?|\n)/, ""))).join("");
  const lines = all.replace(/^\s*[\r\n]/, "");
  const end = lines.trimEnd().length;
  if (end === 0) return "";
  const lastBreak = lines.slice(end).search(/[\r\n]/);
  return lastBreak === -1 ? lines : lines.slice(0, end + lastBreak);
}
