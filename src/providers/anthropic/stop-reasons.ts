// Maps stop reasons of the wire to reasons of incomplete responses. @spec resources/response-object

/** The reason of an incomplete response by stop reason; null if the model ended by itself or refused. */
export const STOP_REASONS = {
  end_turn: null,
  stop_sequence: null,
  tool_use: null,
  refusal: null,
  max_tokens: "max_output_tokens",
  model_context_window_exceeded: "max_output_tokens",
  // Only the provider's own tools, which are never offered, pause a turn.
  pause_turn: "max_output_tokens",
} as const satisfies Record<string, string | null>;

/** Why a response is incomplete; null if it is complete. An unknown stop reason counts as complete. */
export function incompleteReasonOf(stopReason: string | null): string | null {
  return stopReason !== null && Object.hasOwn(STOP_REASONS, stopReason)
    ? STOP_REASONS[stopReason as keyof typeof STOP_REASONS]
    : null;
}
