// generateContent of Google's Gemini API.
import type { ProviderFamily } from "../family.ts";
import { traitsOf } from "./model-traits.ts";
import { thinkingSent } from "./thinking.ts";

export const GEMINI: ProviderFamily = {
  type: "gemini",
  environment: { apiKey: "GEMINI_API_KEY", baseUrl: "GEMINI_BASE_URL" },
  requires: "apiKey",
  isPaid: true,
  isFallback: false,
  genAiName: "gcp.gemini",
  modelOwner: "google",
  makerHost: "generativelanguage.googleapis.com",
  group: "B",
  carriesEverySetting: false,
  hasThinkingBudget: true,
  endUserField: "never",
  hasReplayReasoning: false,
  hasCachingSwitch: false,
  hasStrictSwitch: false,
  thinkingSent: ({ thinking, upstreamModel }) => thinkingSent(thinking, traitsOf(upstreamModel)),
  hosts: { vertex: { genAiName: "gcp.vertex_ai", load: async () => (await import("./vertex.ts")).GEMINI_ON_VERTEX } },
  modelList: {
    query: { pageSize: "1000" },
    isChatModel: ({ supportedGenerationMethods: methods }) =>
      !Array.isArray(methods) || methods.includes("generateContent"),
  },
  loadModels: async () => (await import("./models.ts")).GEMINI_MODELS,
  loadCreateProvider: async () => (await import("./provider.ts")).createGeminiProvider,
  loadCreateKeyCheck: async () => (await import("./provider.ts")).createGeminiKeyCheck,
  loadRecordedFields: async () => (await import("./recorded-fields.ts")).RECORDED_FIELDS,
};
