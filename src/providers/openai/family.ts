// OpenAI Responses.
import type { ProviderFamily } from "../family.ts";

/** Names of models for other things than text. */
const OTHER_KINDS =
  /embedding|whisper|tts|transcri|dall-e|image|sora|audio|realtime|moderation|babbage|davinci|computer-use/;

export const OPENAI: ProviderFamily = {
  type: "openai",
  environment: { apiKey: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  requires: "apiKey",
  isPaid: true,
  isFallback: false,
  genAiName: "openai",
  modelOwner: "openai",
  makerHost: "api.openai.com",
  group: "C",
  carriesEverySetting: false,
  hasThinkingBudget: false,
  endUserField: "always",
  hasReplayReasoning: false,
  hasCachingSwitch: true,
  hasStrictSwitch: false,
  hosts: {
    azure: {
      genAiName: "azure.ai.openai",
      hasOwnNames: true,
      load: async () => (await import("./azure.ts")).AZURE,
    },
  },
  modelList: {
    query: {},
    // The list has models of every kind, and does not say which.
    isChatModel: ({ id }) => !OTHER_KINDS.test(String(id)),
  },
  loadModels: async () => (await import("./models.ts")).OPENAI_MODELS,
  loadCreateProvider: async () => (await import("./provider.ts")).createOpenAiProvider,
  loadCreateKeyCheck: async () => (await import("./provider.ts")).createOpenAiKeyCheck,
  loadRecordedFields: async () => (await import("./recorded-fields.ts")).RECORDED_FIELDS,
};
