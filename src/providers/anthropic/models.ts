// The built-in models of this family. Prices in USD per million tokens, November 2026.
import { MODEL_GROUPS, type Setting } from "../../contract/settings.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prices } from "../../core/money/prices.ts";
import { traitsOf } from "./model-traits.ts";

/** The provider that a key in the environment turns on. */
const ANTHROPIC_PROVIDER = "anthropic";

const SETTINGS: ReadonlySet<Setting> = new Set<Setting>(MODEL_GROUPS.A);

function price(input: number, output: number, cachedInput: number, cacheWrite: number): Prices {
  return { input, output, cached_input: cachedInput, cache_write: cacheWrite };
}

interface Entry extends Pick<CatalogModel, "prices" | "tiers"> {
  readonly model: string;
  readonly released: string;
}

const ENTRIES: readonly Entry[] = [
  { model: "claude-fable-5-2", released: "2026-11-09", prices: price(8, 40, 0.2, 10) },
  { model: "claude-opus-5-5", released: "2026-09-22", prices: price(4, 20, 0.2, 5) },
  { model: "claude-sonnet-5-5", released: "2026-09-28", prices: price(2, 10, 0.1, 2.5) },
  {
    model: "claude-haiku-5-5",
    released: "2026-10-07",
    prices: price(0.1, 0.5, 0.01, 0.125),
    tiers: [{ aboveInputTokens: 100_000, prices: price(0.5, 2.5, 0.05, 0.625) }],
  },
  { model: "claude-opus-5", released: "2026-07-24", prices: price(5, 25, 0.5, 6.25) },
  { model: "claude-sonnet-5", released: "2026-06-30", prices: price(2, 10, 0.2, 2.5) },
];

/** Tokens, the same for all. The wire requires max_tokens, so the default is the largest. */
const CONTEXT_WINDOW = 1_000_000;
const MAX_OUTPUT_TOKENS = 128_000;

/** The catalog entries, newest family first. */
export const ANTHROPIC_MODELS: readonly CatalogModel[] = ENTRIES.map(({ model, released, ...priced }) => {
  const { defaultEffort, thinking } = traitsOf(model);
  return {
    id: `${ANTHROPIC_PROVIDER}/${model}`,
    provider: ANTHROPIC_PROVIDER,
    upstreamModel: model,
    settings: SETTINGS,
    contextWindow: CONTEXT_WINDOW,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    defaultOutputTokens: MAX_OUTPUT_TOKENS,
    // The provider's default, sent explicitly so that responses can report it.
    thinking: { effort: defaultEffort },
    // No model can think while a call is forced.
    forcedToolChoice: thinking !== "always",
    hasEndUserField: true,
    ...priced,
    ownedBy: "anthropic",
    created: Date.parse(released) / 1000,
  };
});
