// Which providers' keys work: each family's own way to ask, for `doctor`.
import { makeAnthropicKeyCheck } from "./anthropic/key-check.ts";
import type { KeyCheck, MakeKeyCheck } from "./family.ts";
import { makeGeminiKeyCheck } from "./gemini/key-check.ts";
import { makeOpenAiKeyCheck } from "./openai/key-check.ts";
import { makeOpenAiCompatibleKeyCheck } from "./openai-compatible/key-check.ts";
import type { ProviderEntry, ProviderType } from "./registry.ts";

/** One a type; null: it has no key, and nobody to ask. */
const KEY_CHECKS: Readonly<Record<ProviderType, MakeKeyCheck | null>> = {
  anthropic: makeAnthropicKeyCheck,
  gemini: makeGeminiKeyCheck,
  openai: makeOpenAiKeyCheck,
  "openai-compatible": makeOpenAiCompatibleKeyCheck,
  simulated: null,
};

/** The check of an entry's key; null when there is nothing to check. Throws an Error in words when the entry cannot work. */
export function makeKeyCheck(entry: ProviderEntry): KeyCheck | null {
  return KEY_CHECKS[entry.type]?.(entry) ?? null;
}
