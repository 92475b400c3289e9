// Call ids and tool names within the rules of a wire. A history may come from a client or another provider with looser rules.

/** The names that a wire accepts. */
export interface WireNameRule {
  readonly valid: RegExp;
  /** Characters that no name may contain. */
  readonly invalidCharacters: RegExp;
  readonly charactersMax: number;
}

/** Letters, digits, `_` and `-`: the rule of most wires, which differ in the longest name. */
export function wordRule(charactersMax: number): WireNameRule {
  const valid = new RegExp(`^[a-zA-Z0-9_-]{1,${charactersMax}}$`);
  return { valid, invalidCharacters: /[^a-zA-Z0-9_-]/gu, charactersMax };
}

/** The longest names that Anthropic's and OpenAI's own wires accept. */
const LONG_WORDS = wordRule(128);
/** Space for a counter at the end of a name, with its underscore. */
const COUNT_CHARACTERS_MAX = 8;

export interface WireNames {
  /** The name to send. Throws an Error for a name that is not of this request. */
  toWire(original: string): string;
  /** The original of a name that was received; the name itself if it was not sent. */
  fromWire(wireName: string): string;
}

/** Names for one request: valid ones are unchanged, others are made valid and unique. */
export function createWireNames(originals: Iterable<string>, rule = LONG_WORDS): WireNames {
  const wireNames = new Map<string, string>();
  const byWireName = new Map<string, string>();
  const assign = (original: string, wireName: string) => {
    wireNames.set(original, wireName);
    byWireName.set(wireName, original);
  };
  const invalid: string[] = [];
  for (const original of originals) {
    if (rule.valid.test(original)) assign(original, original);
    else invalid.push(original);
  }
  const nextCounts = new Map<string, number>();
  for (const original of invalid)
    if (!wireNames.has(original)) assign(original, makeValid(original, rule, byWireName, nextCounts));
  return {
    toWire(original) {
      const wireName = wireNames.get(original);
      if (wireName === undefined) throw new Error(`"${original}" is not among the names of this request`);
      return wireName;
    },
    fromWire: (wireName) => byWireName.get(wireName) ?? wireName,
  };
}

/**
 * A valid name that is not taken yet. `nextCounts` has the next counter of each prefix, so that numbering many similar names takes one
 * step each.
 */
function makeValid(
  original: string,
  { valid, invalidCharacters, charactersMax }: WireNameRule,
  taken: ReadonlyMap<string, string>,
  nextCounts: Map<string, number>,
): string {
  const replaced = original.replace(invalidCharacters, "_").slice(0, charactersMax);
  // Empty, or with a first character that is valid only later.
  const name = valid.test(replaced) ? replaced : `_${replaced}`.slice(0, charactersMax);
  if (!taken.has(name)) return name;
  const prefix = name.slice(0, charactersMax - COUNT_CHARACTERS_MAX);
  let count = nextCounts.get(prefix) ?? 2;
  while (taken.has(`${prefix}_${count}`)) count++;
  nextCounts.set(prefix, count + 1);
  return `${prefix}_${count}`;
}
