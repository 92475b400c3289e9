// The little language of the simulated models: lines of the input that begin with a slash and a known word say what the model does.
// The table in docs/simulated-models.md is its reference; a test holds the two together.

/** Every word, with how it is written. */
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

/** One line that was understood. */
export interface Directive {
  readonly word: DirectiveWord;
  /** What follows the word, without surrounding space; empty when nothing does. */
  readonly rest: string;
}

/** What one round is told. */
export interface Section {
  readonly directives: readonly Directive[];
  /** The lines that are no directives, as they stand, without blank lines at both ends. */
  readonly text: string;
}

/** Reads a text; `/then` begins the section of the next round of tool results. There is always one section at least. */
export function readSections(text: string): readonly Section[] {
  const sections: { directives: Directive[]; lines: string[] }[] = [{ directives: [], lines: [] }];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const directive = readDirective(line);
    const section = sections.at(-1);
    if (section === undefined) continue;
    if (directive === null) section.lines.push(line);
    else if (directive.word === "then") sections.push({ directives: [], lines: [] });
    else section.directives.push(directive);
  }
  // A text without directives is echoed to the letter.
  const [only] = sections;
  if (sections.length === 1 && only?.directives.length === 0) return [{ directives: [], text }];
  return sections.map(({ directives, lines }) => ({ directives, text: trimBlankLines(lines) }));
}

/** Lines that begin with another word are text: paths, regular expressions, commands of other programs. */
function readDirective(line: string): Directive | null {
  const match = /^\/([a-z]+)(?:[ \t]+(.*))?$/s.exec(line.trimEnd());
  const word = match?.[1];
  return word !== undefined && isWord(word) ? { word, rest: (match?.[2] ?? "").trim() } : null;
}

function isWord(word: string): word is DirectiveWord {
  return Object.hasOwn(DIRECTIVES, word);
}

function trimBlankLines(lines: readonly string[]): string {
  const isFilled = (line: string) => line.trim() !== "";
  const first = lines.findIndex(isFilled);
  return first === -1 ? "" : lines.slice(first, lines.findLastIndex(isFilled) + 1).join("\n");
}
