// The built-in models of this family. A test checks the table of docs/providers/gemini.md against them.
import { MODEL_GROUPS, type Setting } from "../../contract/settings.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prices, PriceTier } from "../../core/money/prices.ts";

/** Prefix of the model ids; the provider's name is the operator's choice. */
const OWNER = "google";
/** 10 November 2026, the date of this data: the provider publishes no dates. */
const CREATED = 1_794_268_800;

interface Row {
  readonly maxOutputTokens: number;
  readonly effort: "low" | "medium" | "high";
  readonly prices: Prices;
  readonly tiers?: readonly PriceTier[];
}

/** USD per million tokens. Writing the implicit cache is free. */
const prices = (input: number, output: number, cachedInput: number): Prices => ({
  input,
  output,
  cached_input: cachedInput,
  cache_write: 0,
});

const ROWS: readonly (readonly [string, Row])[] = [
  ["gemini-4-argon", { maxOutputTokens: 32_768, effort: "high", prices: prices(2, 10, 0.1) }],
  ["gemini-3.8-flash", { maxOutputTokens: 65_536, effort: "medium", prices: prices(0.75, 3.75, 0.075) }],
  ["gemini-3.7-flash", { maxOutputTokens: 65_536, effort: "medium", prices: prices(0.75, 3.75, 0.075) }],
  ["gemini-3.6-flash", { maxOutputTokens: 65_536, effort: "medium", prices: prices(0.75, 3.75, 0.075) }],
  [
    "gemini-3.1-pro-preview",
    {
      maxOutputTokens: 65_536,
      effort: "high",
      prices: prices(2, 12, 0.2),
      tiers: [{ aboveInputTokens: 200_000, prices: prices(4, 18, 0.4) }],
    },
  ],
  ["gemini-3.5-flash-lite", { maxOutputTokens: 65_536, effort: "low", prices: prices(0.3, 2.5, 0.03) }],
];

/** The catalog entries, in the order of their table. */
export const GEMINI_MODELS: readonly CatalogModel[] = ROWS.map(([name, row]) =>
  Object.freeze({
    id: `${OWNER}/${name}`,
    provider: "gemini",
    upstreamModel: name,
    settings: new Set<Setting>(MODEL_GROUPS.B),
    contextWindow: 1_048_576,
    maxOutputTokens: row.maxOutputTokens,
    // The maximum: thoughts count towards it, and a smaller default would truncate responses without a limit of their
    // own.
    defaultOutputTokens: row.maxOutputTokens,
    thinking: { effort: row.effort },
    forcedToolChoice: true,
    hasEndUserField: false,
    prices: row.prices,
    ...(row.tiers === undefined ? {} : { tiers: row.tiers }),
    ownedBy: OWNER,
    created: CREATED,
  } satisfies CatalogModel),
);
