// Anthropic Messages.
import type { ProviderFamily } from "../family.ts";

export const ANTHROPIC: ProviderFamily = {
  type: "anthropic",
  environment: { apiKey: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  requires: "apiKey",
  isPaid: true,
  isFallback: false,
  genAiName: "anthropic",
  modelOwner: "anthropic",
  makerHost: "api.anthropic.com",
  group: "A",
  carriesEverySetting: false,
  hasThinkingBudget: true,
  endUserField: "always",
  hasReplayReasoning: false,
  hasCachingSwitch: true,
  hasStrictSwitch: true,
  hosts: {
    bedrock: { genAiName: "aws.bedrock", load: async () => (await import("./bedrock.ts")).BEDROCK },
    vertex: { genAiName: "gcp.vertex_ai", load: async () => (await import("./vertex.ts")).CLAUDE_ON_VERTEX },
  },
  modelList: { query: { limit: "1000" } },
  loadModels: async () => (await import("./models.ts")).ANTHROPIC_MODELS,
  loadCreateProvider: async () => (await import("./provider.ts")).createAnthropicProvider,
  loadCreateKeyCheck: async () => (await import("./provider.ts")).createAnthropicKeyCheck,
  loadRecordedFields: async () => (await import("./recorded-fields.ts")).RECORDED_FIELDS,
};
