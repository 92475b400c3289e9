// The built-in model of group C as data. Prices in USD per million tokens, as of November 2026; turngate.yaml overrides each entry.
import { MODEL_GROUPS, type Setting } from "../../contract/settings.ts";
import type { CatalogModel } from "../../core/catalog.ts";

/** OpenAI's model of the built-in catalog, `provider` being the family's own name. */
export const OPENAI_MODELS: readonly CatalogModel[] = [
  {
    id: "openai/gpt-6.1-terra",
    provider: "openai",
    upstreamModel: "gpt-6.1-terra",
    settings: new Set<Setting>(MODEL_GROUPS.C),
    contextWindow: 1_050_000,
    maxOutputTokens: 128_000,
    // Nothing is cut that was not asked to be; and of a window of 1.05 million tokens 922,000 may be input.
    defaultOutputTokens: 128_000,
    // The model's own default, sent so that what a response reports is what applied.
    thinking: { effort: "medium" },
    forcedToolChoice: true,
    hasEndUserField: true,
    prices: { input: 1, cached_input: 0.05, cache_write: 1.25, output: 5 },
    tiers: [{ aboveInputTokens: 272_000, prices: { input: 2, cached_input: 0.1, cache_write: 2.5, output: 7.5 } }],
    ownedBy: "openai",
    // 2026-10-26
    created: 1_792_972_800,
  },
];
