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

/** The most directives of one text: no response has room for more. */
export const DIRECTIVES_MAX = 50_000;

/** A line that may be a directive. */
const SLASHED_LINE = /(?<=^|[\r\n])\/[a-z][^\r\n]*/g;

/**
 * Parses a text into at least one section; `/then` begins the section of the next round of tool results. Directives
 * beyond DIRECTIVES_MAX are ignored. Only lines with a slash are handled one by one, since a text may have millions of
 * lines.
 */
export function readSections(text: string): readonly Section[] {
  const sections: { directives: Directive[]; texts: string[] }[] = [{ directives: [], texts: [] }];
  let directives = 0;
  let end = 0;
  for (const match of text.matchAll(SLASHED_LINE)) {
    const directive = readDirective(match[0]);
    if (directive === null) continue;
    if (++directives > DIRECTIVES_MAX) break;
    sections.at(-1)?.texts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (directive.word === "then") sections.push({ directives: [], texts: [] });
    else sections.at(-1)?.directives.push(directive);
  }
  // A text without directives is echoed exactly.
  if (directives === 0) return [{ directives: [], text }];
  sections.at(-1)?.texts.push(text.slice(end));
  return sections.map(({ directives: read, texts }) => ({ directives: read, text: joinLines(texts) }));
}

/** Null for lines that begin with another word, such as paths and commands of other programs: they are text. */
function readDirective(line: string): Directive | null {
  const match = /^\/([a-z]+)(?:[ \t]+(.*))?$/s.exec(line.trimEnd());
  const word = match?.[1];
  return word !== undefined && isWord(word) ? { word, rest: (match?.[2] ?? "").trim() } : null;
}

function isWord(word: string): word is DirectiveWord {
  return Object.hasOwn(DIRECTIVES, word);
}

/** The lines around directives, without blank lines at both ends. */
function joinLines(texts: readonly string[]): string {
  const lines = texts.map((text) => text.replace(/\r\n?/g, "\n"));
  // The line break after a directive belongs to it.
  const all = lines.map((text, index) => (index === 0 || !text.startsWith("\n") ? text : text.slice(1))).join("");
  const first = all.length - all.trimStart().length;
  if (first === all.length) return "";
  const last = all.indexOf("\n", all.trimEnd().length);
  return all.slice(first === 0 ? 0 : all.lastIndexOf("\n", first - 1) + 1, last === -1 ? undefined : last);
}
