// Ids of calls and names of tools as some wires want them: a history may come from a client or from another provider, whose rules
// are wider.

/** What both must be on these wires. */
const LABEL = /^[a-zA-Z0-9_-]{1,128}$/;
const LABEL_CHARACTERS_MAX = 128;
/** Room for a count behind a label, with its underscore. */
const COUNT_CHARACTERS_MAX = 8;

export interface Labels {
  /** The label to send. */
  toWire(original: string): string;
  /** The original of a label that came back; the label itself when none was sent for it. */
  fromWire(label: string): string;
}

/** Labels for one request: what fits stays as it is, all else is bent to fit, no two alike. */
export function createLabels(originals: Iterable<string>): Labels {
  const labels = new Map<string, string>();
  const misfits: string[] = [];
  const byLabel = new Map<string, string>();
  const assign = (original: string, label: string) => {
    labels.set(original, label);
    byLabel.set(label, original);
  };
  for (const original of originals) {
    if (LABEL.test(original)) assign(original, original);
    else misfits.push(original);
  }
  const nextCounts = new Map<string, number>();
  for (const original of misfits) if (!labels.has(original)) assign(original, bend(original, byLabel, nextCounts));
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
function bend(original: string, taken: ReadonlyMap<string, string>, nextCounts: Map<string, number>): string {
  const fitting = original.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, LABEL_CHARACTERS_MAX) || "_";
  if (!taken.has(fitting)) return fitting;
  const beginning = fitting.slice(0, LABEL_CHARACTERS_MAX - COUNT_CHARACTERS_MAX);
  let count = nextCounts.get(beginning) ?? 2;
  while (taken.has(`${beginning}_${count}`)) count++;
  nextCounts.set(beginning, count + 1);
  return `${beginning}_${count}`;
}
