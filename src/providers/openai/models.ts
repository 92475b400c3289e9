// The built-in model of this family. Prices in USD per million tokens, November 2026.
import { MODEL_GROUPS, type Setting } from "../../contract/settings.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";

/** The catalog entries. */
export const OPENAI_MODELS: readonly CatalogModel[] = [
  {
    id: "openai/gpt-6.1-terra",
    provider: "openai",
    upstreamModel: "gpt-6.1-terra",
    settings: new Set<Setting>(MODEL_GROUPS.C),
    contextWindow: 1_050_000,
    maxOutputTokens: 128_000,
    // The maximum: a lower default would truncate outputs without a limit. 922,000 of the 1.05 million tokens may be input.
    defaultOutputTokens: 128_000,
    // The model's own default, sent so that a response reports the effort that applied.
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
