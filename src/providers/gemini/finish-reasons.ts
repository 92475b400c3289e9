// Maps the provider's finish reasons to endings.

/**
 * `ended`: by itself. `cut`: at its output limit. `withheld`: Gemini held the output back, a refusal. `continued`: by a further
 * request. `broken`: the output cannot be used.
 */
export type Ending = "ended" | "cut" | "withheld" | "continued" | "broken";

/** Every finish reason of the wire; a test checks them against the SDK's types. */
export const FINISH_REASONS = {
  FINISH_REASON_UNSPECIFIED: "broken",
  STOP: "ended",
  MAX_TOKENS: "cut",
  CONTINUATION: "continued",
  SAFETY: "withheld",
  RECITATION: "withheld",
  LANGUAGE: "withheld",
  BLOCKLIST: "withheld",
  PROHIBITED_CONTENT: "withheld",
  SPII: "withheld",
  IMAGE_SAFETY: "withheld",
  IMAGE_PROHIBITED_CONTENT: "withheld",
  IMAGE_RECITATION: "withheld",
  OTHER: "broken",
  MALFORMED_FUNCTION_CALL: "broken",
  UNEXPECTED_TOOL_CALL: "broken",
  TOO_MANY_TOOL_CALLS: "broken",
  MALFORMED_RESPONSE: "broken",
  NO_IMAGE: "broken",
  IMAGE_OTHER: "broken",
  // Of Vertex AI alone: the SDK has no type for it.
  MODEL_ARMOR: "withheld",
} as const satisfies Record<string, Ending>;

/** The ending of a finish reason; `broken` for an unknown one. */
export function endingOf(reason: string): Ending {
  // Proxies may change its case.
  const word = reason.trim().toUpperCase();
  return Object.hasOwn(FINISH_REASONS, word) ? FINISH_REASONS[word as keyof typeof FINISH_REASONS] : "broken";
}
