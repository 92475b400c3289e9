// Defaults of a model in turngate.yaml, and the settings that its provider's family can carry.
import { MODEL_GROUPS, type Setting, SETTINGS } from "../contract/settings.ts";
import type { ProviderFamily } from "../providers/family.ts";

/** The sizes hold for most models served today. Smaller ones only make the fit check reject requests earlier. */
export const MODEL_DEFAULTS = {
  context_window: 128_000,
  max_output_tokens: 16_384,
  default_output_tokens: 4096,
  thinking: "none",
  forced_tool_choice: true,
  created: 0,
} as const;

export const TARGET_DEFAULTS = { order: 1, weight: 1 } as const;

/** The settings that a family's wire carries: any other would be accepted and then dropped. */
export function settingsOf({ group, carriesEverySetting }: ProviderFamily): readonly Setting[] {
  return carriesEverySetting ? SETTINGS : MODEL_GROUPS[group];
}
