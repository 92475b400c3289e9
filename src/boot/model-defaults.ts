// What holds for a model of turngate.yaml where its entry says nothing.
import type { ModelGroup } from "../contract/settings.ts";
import type { ProviderType } from "../providers/registry.ts";

/** Numbers that hold for most models served today; smaller ones only make the fit check refuse earlier. */
export const MODEL_DEFAULTS = { contextWindow: 128_000, maxOutputTokens: 16_384, defaultOutputTokens: 4096 } as const;

/** The group of settings that each kind of provider accepts (docs: providers). */
export const GROUP_OF_TYPE: Readonly<Record<ProviderType, ModelGroup>> = {
  anthropic: "A",
  gemini: "B",
  openai: "C",
  "openai-compatible": "B",
  simulated: "A",
};

/** Whether each kind of provider has a field for the end user, so that safety_identifier can be sent on; `never`: its wire has none. */
export const END_USER_FIELD: Readonly<Record<ProviderType, boolean | "never">> = {
  anthropic: true,
  gemini: "never",
  openai: true,
  "openai-compatible": false,
  simulated: true,
};
