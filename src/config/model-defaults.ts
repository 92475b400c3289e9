// Defaults of a model in turngate.yaml, and the settings that its provider's family can carry.
import { MODEL_GROUPS, type Setting, SETTINGS } from "../contract/settings.ts";
import type { ProviderFamily } from "../providers/family.ts";

/** Sizes that hold for most models served today. Smaller ones only make the fit check reject requests earlier. */
export const MODEL_DEFAULTS = { contextWindow: 128_000, maxOutputTokens: 16_384, defaultOutputTokens: 4096 } as const;

/** The settings that a family's wire carries: any other would be accepted and then dropped. */
export function settingsOf({ group, carriesEverySetting }: ProviderFamily): readonly Setting[] {
  return carriesEverySetting ? SETTINGS : MODEL_GROUPS[group];
}
