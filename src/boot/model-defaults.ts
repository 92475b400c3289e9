// What holds for a model of turngate.yaml where its entry says nothing, and what it may say by its provider's type.
import { MODEL_GROUPS, type ModelGroup, type Setting, SETTINGS } from "../contract/settings.ts";
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

/** The settings that each kind of provider can send on: an entry that named another would have it accepted and then dropped. */
export const SETTINGS_OF_TYPE: Readonly<Record<ProviderType, readonly Setting[]>> = {
  anthropic: MODEL_GROUPS.A,
  gemini: MODEL_GROUPS.B,
  openai: MODEL_GROUPS.C,
  "openai-compatible": SETTINGS,
  simulated: SETTINGS,
};

/** Whether each kind of provider can be told a budget of thinking; the others know efforts alone. */
export const HAS_THINKING_BUDGET: Readonly<Record<ProviderType, boolean>> = {
  anthropic: true,
  gemini: true,
  openai: false,
  "openai-compatible": false,
  simulated: true,
};

/** Whether each kind of provider has a field for the end user, so that safety_identifier can be sent on; `never`: its wire has none. */
export const END_USER_FIELD: Readonly<Record<ProviderType, boolean | "never">> = {
  anthropic: true,
  gemini: "never",
  openai: true,
  "openai-compatible": false,
  simulated: true,
};
