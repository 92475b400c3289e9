// Values of a LiteLLM configuration: references to the environment, and prices of a token.

/** The variable that `os.environ/NAME` refers to; null for any other value. */
export function variableOf(value: unknown): string | null {
  return typeof value === "string" ? (/^os\.environ\/(\w+)$/.exec(value)?.[1] ?? null) : null;
}

/** A text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export type Fields = Readonly<Record<string, unknown>>;

/** A group of keys; empty for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The fields of LiteLLM's prices, and ours. */
const PRICES = {
  input_cost_per_token: "input",
  cache_read_input_token_cost: "cached_input",
  cache_creation_input_token_cost: "cache_write",
  output_cost_per_token: "output",
} as const;
const ABOVE = /^(\w+?)_above_(\d+)k_tokens$/;

/** The keys of a model that its prices are read from. */
export function isPrice(name: string): boolean {
  return (ABOVE.exec(name)?.[1] ?? name) in PRICES;
}

/** `prices` of a model in USD per million tokens, tiers included; null when the file has none. */
export function readPrices(fields: Fields): object | null {
  const base: Record<string, number> = {};
  const tiers = new Map<number, Record<string, number>>();
  for (const [name, value] of Object.entries(fields)) {
    const [, stem = name, thousands] = ABOVE.exec(name) ?? [];
    const key = PRICES[stem as keyof typeof PRICES] as string | undefined;
    if (key === undefined || !isPriced(value)) continue;
    const above = thousands === undefined ? null : Number(thousands) * 1000;
    const target = above === null ? base : (tiers.get(above) ?? {});
    // In decimals: a millionth of a cent is not a double.
    target[key] = Number((Number(value) * 1e6).toFixed(9));
    if (above !== null) tiers.set(above, target);
  }
  if (Object.keys(base).length === 0 && tiers.size === 0) return null;
  const listed = [...tiers]
    .toSorted(([one], [other]) => one - other)
    .map(([above, prices]) => ({ above_input_tokens: above, ...base, ...prices }));
  return listed.length === 0 ? base : { ...base, tiers: listed };
}

function isPriced(value: unknown): boolean {
  return (typeof value === "number" || typeof value === "string") && Number(value) >= 0 && value !== "";
}
