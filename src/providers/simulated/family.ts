// Simulated models: no network, no account, the same output for the same input.
import type { ProviderFamily } from "../family.ts";

export const SIMULATED: ProviderFamily = {
  type: "simulated",
  environment: null,
  requires: null,
  isPaid: false,
  isFallback: true,
  genAiName: null,
  modelOwner: null,
  makerHost: null,
  group: "A",
  carriesEverySetting: true,
  hasThinkingBudget: true,
  endUserField: "always",
  hasReplayReasoning: false,
  hasCachingSwitch: false,
  hasStrictSwitch: false,
  modelList: null,
  loadModels: async () => (await import("./models.ts")).SIMULATED_MODELS,
  loadCreateProvider: async () => (await import("./provider.ts")).createSimulatedProvider,
  loadCreateKeyCheck: null,
  loadRecordedFields: null,
};
