// How a model ended, by the provider's word for it.

/**
 * `ended` by itself; `cut` at its output limit; `declined`: what it would have said was held back; `continued` by a further
 * request; `broken`: it put out what cannot be used.
 */
export type Ending = "ended" | "cut" | "declined" | "continued" | "broken";

/** Every word of the wire (a test holds it against the SDK's types). */
export const FINISH_REASONS = {
  FINISH_REASON_UNSPECIFIED: "broken",
  STOP: "ended",
  MAX_TOKENS: "cut",
  CONTINUATION: "continued",
  SAFETY: "declined",
  RECITATION: "declined",
  LANGUAGE: "declined",
  BLOCKLIST: "declined",
  PROHIBITED_CONTENT: "declined",
  SPII: "declined",
  IMAGE_SAFETY: "declined",
  IMAGE_PROHIBITED_CONTENT: "declined",
  IMAGE_RECITATION: "declined",
  OTHER: "broken",
  MALFORMED_FUNCTION_CALL: "broken",
  UNEXPECTED_TOOL_CALL: "broken",
  TOO_MANY_TOOL_CALLS: "broken",
  MALFORMED_RESPONSE: "broken",
  NO_IMAGE: "broken",
  IMAGE_OTHER: "broken",
} as const satisfies Record<string, Ending>;

/** The ending that a word says; a word that nobody here knows is a broken end. */
export function endingOf(reason: string): Ending {
  return Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason as keyof typeof FINISH_REASONS] : "broken";
}
