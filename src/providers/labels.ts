// Ids of calls and names of tools as some wires want them: a history may come from a client or from another provider, whose rules
// are wider.

/** What labels must be on a wire. */
export interface LabelRule {
  readonly fits: RegExp;
  /** Every character that no label may hold. */
  readonly misfits: RegExp;
  readonly charactersMax: number;
}

/** Ids of calls and names of tools of Anthropic, names of tools of OpenAI. */
const WORDS: LabelRule = { fits: /^[a-zA-Z0-9_-]{1,128}$/, misfits: /[^a-zA-Z0-9_-]/gu, charactersMax: 128 };
/** Room for a count behind a label, with its underscore. */
const COUNT_CHARACTERS_MAX = 8;

export interface Labels {
  /** The label to send. */
  toWire(original: string): string;
  /** The original of a label that came back; the label itself when none was sent for it. */
  fromWire(label: string): string;
}

/** Labels for one request: what fits stays as it is, all else is bent to fit, no two alike. */
export function createLabels(originals: Iterable<string>, rule = WORDS): Labels {
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
      if (label === undefined) throw new Error(`"${original}" was not among the labels of this request`);
      return label;
    },
    fromWire: (label) => byLabel.get(label) ?? label,
  };
}

/** `nextCounts` remembers how far each beginning has been counted: however many are alike, each is numbered in one step. */
function bend(
  original: string,
  { fits, misfits, charactersMax }: LabelRule,
  taken: ReadonlyMap<string, string>,
  nextCounts: Map<string, number>,
): string {
  const bent = original.replace(misfits, "_").slice(0, charactersMax);
  // Empty, or its first character may only stand further behind.
  const fitting = fits.test(bent) ? bent : `_${bent}`.slice(0, charactersMax);
  if (!taken.has(fitting)) return fitting;
  const beginning = fitting.slice(0, charactersMax - COUNT_CHARACTERS_MAX);
  let count = nextCounts.get(beginning) ?? 2;
  while (taken.has(`${beginning}_${count}`)) count++;
  nextCounts.set(beginning, count + 1);
  return `${beginning}_${count}`;
}
