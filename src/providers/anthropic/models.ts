// The built-in models of this family. Prices in USD per million tokens, November 2026.
import { MODEL_GROUPS, type Setting } from "../../contract/settings.ts";
import type { CatalogModel, Prices } from "../../core/catalog.ts";

/** The name of the provider that a key in the environment turns on. */
const ANTHROPIC_PROVIDER = "anthropic";

const SETTINGS: ReadonlySet<Setting> = new Set<Setting>(MODEL_GROUPS.A);

function price(input: number, output: number, cachedInput: number, cacheWrite: number): Prices {
  return { input, output, cached_input: cachedInput, cache_write: cacheWrite };
}

/** Unix seconds of a day. */
function day(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000;
}

interface Entry {
  readonly model: string;
  readonly released: string;
  readonly effort: "medium" | "high";
  readonly forcedToolChoice: boolean;
  readonly prices: Prices;
  readonly tiers?: CatalogModel["tiers"];
}

// The effort is the provider's own default of each model, said so that responses can report it.
const ENTRIES: readonly Entry[] = [
  {
    model: "claude-fable-5-2",
    released: "2026-11-09",
    effort: "high",
    forcedToolChoice: false,
    prices: price(8, 40, 0.2, 10),
  },
  {
    model: "claude-opus-5-5",
    released: "2026-09-22",
    effort: "medium",
    forcedToolChoice: false,
    prices: price(4, 20, 0.2, 5),
  },
  {
    model: "claude-sonnet-5-5",
    released: "2026-09-28",
    effort: "high",
    forcedToolChoice: false,
    prices: price(2, 10, 0.1, 2.5),
  },
  {
    model: "claude-haiku-5-5",
    released: "2026-10-07",
    effort: "medium",
    forcedToolChoice: true,
    prices: price(0.1, 0.5, 0.01, 0.125),
    tiers: [{ aboveInputTokens: 100_000, prices: price(0.5, 2.5, 0.05, 0.625) }],
  },
  {
    model: "claude-opus-5",
    released: "2026-07-24",
    effort: "high",
    forcedToolChoice: true,
    prices: price(5, 25, 0.5, 6.25),
  },
  {
    model: "claude-sonnet-5",
    released: "2026-06-30",
    effort: "high",
    forcedToolChoice: true,
    prices: price(2, 10, 0.2, 2.5),
  },
];

/** Tokens that each of them takes, and puts out at most; the wire wants a limit, and nothing is cut that was not asked to be. */
const CONTEXT_WINDOW = 1_000_000;
const MAX_OUTPUT_TOKENS = 128_000;

/** The catalog entries, newest family first. */
export const ANTHROPIC_MODELS: readonly CatalogModel[] = ENTRIES.map((entry) => ({
  id: `${ANTHROPIC_PROVIDER}/${entry.model}`,
  provider: ANTHROPIC_PROVIDER,
  upstreamModel: entry.model,
  settings: SETTINGS,
  contextWindow: CONTEXT_WINDOW,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  defaultOutputTokens: MAX_OUTPUT_TOKENS,
  thinking: { effort: entry.effort },
  forcedToolChoice: entry.forcedToolChoice,
  hasEndUserField: true,
  prices: entry.prices,
  ...(entry.tiers === undefined ? {} : { tiers: entry.tiers }),
  ownedBy: "anthropic",
  created: day(entry.released),
}));
