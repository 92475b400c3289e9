// The smallest family, which docs/contributing/add-a-provider.md shows: it returns the input in capitals.
import type { ProviderFamily } from "../../../src/providers/family.ts";

export const TOY: ProviderFamily = {
  type: "toy",
  environment: { apiKey: "TOY_API_KEY", baseUrl: "TOY_BASE_URL" },
  requires: "apiKey",
  isPaid: true,
  isFallback: false,
  genAiName: "toy",
  modelOwner: null,
  makerHost: null,
  group: "A",
  carriesEverySetting: false,
  hasThinkingBudget: false,
  endUserField: "never",
  hasReplayReasoning: false,
  hasCachingSwitch: false,
  hasStrictSwitch: false,
  modelList: null,
  loadModels: async () => (await import("./models.ts")).TOY_MODELS,
  loadCreateProvider: async () => (await import("./provider.ts")).createToyProvider,
  loadCreateKeyCheck: async () => (await import("./provider.ts")).createToyKeyCheck,
  loadRecordedFields: null,
};
