// Chat completions: Ollama, vLLM, llama.cpp and most other servers.
import type { ProviderFamily } from "../family.ts";

export const OPENAI_COMPATIBLE: ProviderFamily = {
  type: "openai-compatible",
  environment: null,
  requires: "baseUrl",
  isPaid: false,
  isFallback: false,
  genAiName: null,
  modelOwner: null,
  makerHost: null,
  group: "B",
  carriesEverySetting: true,
  hasThinkingBudget: false,
  endUserField: "optional",
  hasReplayReasoning: true,
  hasCachingSwitch: false,
  hasStrictSwitch: false,
  modelList: { query: {} },
  loadModels: null,
  loadCreateProvider: async () => (await import("./provider.ts")).createOpenAiCompatibleProvider,
  loadCreateKeyCheck: async () => (await import("./provider.ts")).createOpenAiCompatibleKeyCheck,
  loadRecordedFields: async () => (await import("./recorded-fields.ts")).RECORDED_FIELDS,
};
