import { MODEL_GROUPS, type Setting } from "../../../src/contract/settings.ts";
import type { CatalogModel } from "../../../src/core/models/catalog.ts";

export const TOY_MODELS: readonly CatalogModel[] = [
  {
    id: "toy/shout",
    provider: "toy",
    upstreamModel: "shout",
    settings: new Set<Setting>(MODEL_GROUPS.A),
    contextWindow: 10_000,
    maxOutputTokens: 1_000,
    defaultOutputTokens: 1_000,
    thinking: "none",
    forcedToolChoice: true,
    hasEndUserField: false,
    prices: { input: 1, cached_input: 1, cache_write: 1, output: 2 },
    ownedBy: "toy",
    created: 1_794_268_800,
  },
];
