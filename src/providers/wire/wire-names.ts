// Call ids and tool names within the rules of a wire. A history may come from a client or another provider with looser rules.

/** The names that a wire accepts. */
export interface WireNameRule {
  readonly fits: RegExp;
  /** Characters that no name may contain. */
  readonly misfits: RegExp;
  readonly charactersMax: number;
}

/** Call ids and tool names of Anthropic, tool names of OpenAI. */
const WORDS: WireNameRule = { fits: /^[a-zA-Z0-9_-]{1,128}$/, misfits: /[^a-zA-Z0-9_-]/gu, charactersMax: 128 };
/** Space for a counter at the end of a name, with its underscore. */
const COUNT_CHARACTERS_MAX = 8;

export interface WireNames {
  /** The name to send. */
  toWire(original: string): string;
  /** The original of a name that was received; the name itself if it was not sent. */
  fromWire(label: string): string;
}

/** Names for one request: valid ones are unchanged, others are made valid and unique. */
export function createWireNames(originals: Iterable<string>, rule = WORDS): WireNames {
  const labels = new Map<string, string>();
  const misfits: string[] = [];
  const byLabel = new Map<string, string>();
  const assign = (original: string, label: string) => {
    labels.set(original, label);
    byLabel.set(label, original);
  };
  for (const original of originals) {
    if (rule.fits.test(original)) assign(original, original);
    else misfits.push(original);
  }
  const nextCounts = new Map<string, number>();
  for (const original of misfits)
    if (!labels.has(original)) assign(original, bend(original, rule, byLabel, nextCounts));
  return {
    toWire(original) {
      const label = labels.get(original);
      if (label === undefined) throw new Error(`"${original}" is not among the names of this request`);
      return label;
    },
    fromWire: (label) => byLabel.get(label) ?? label,
  };
}

/** `nextCounts` has the next counter of each prefix, so that numbering many similar names takes one step each. */
function bend(
  original: string,
  { fits, misfits, charactersMax }: WireNameRule,
  taken: ReadonlyMap<string, string>,
  nextCounts: Map<string, number>,
): string {
  const bent = original.replace(misfits, "_").slice(0, charactersMax);
  // Empty, or with a first character that is valid only later.
  const fitting = fits.test(bent) ? bent : `_${bent}`.slice(0, charactersMax);
  if (!taken.has(fitting)) return fitting;
  const beginning = fitting.slice(0, charactersMax - COUNT_CHARACTERS_MAX);
  let count = nextCounts.get(beginning) ?? 2;
  while (taken.has(`${beginning}_${count}`)) count++;
  nextCounts.set(beginning, count + 1);
  return `${beginning}_${count}`;
}
