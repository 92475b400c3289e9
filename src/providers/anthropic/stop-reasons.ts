// Maps stop reasons of the wire to endings. @spec resources/response-object
import { type Ending, endingOfWord } from "../wire/finish-words.ts";

/** The ending of each stop reason. */
export const STOP_REASONS = {
  end_turn: "ended",
  stop_sequence: "ended",
  tool_use: "ended",
  refusal: "filtered",
  max_tokens: "cut",
  model_context_window_exceeded: "cut",
  // Only the provider's own tools, which are never offered, pause a turn.
  pause_turn: "cut",
} as const satisfies Record<string, Ending>;

/** The ending of a stop reason: of this wire, or of other servers that speak it; `broken` for an unknown one. */
export function endingOf(stopReason: string): Ending {
  const word = stopReason.trim().toLowerCase();
  return Object.hasOwn(STOP_REASONS, word) ? STOP_REASONS[word as keyof typeof STOP_REASONS] : endingOfWord(word);
}
