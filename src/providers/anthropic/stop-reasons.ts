// Why a model stopped, in the wire's words and in ours. @spec resources/response-object

/** The reason of an incomplete response for each stop reason; null where the model ended by itself, or declined. */
export const STOP_REASONS = {
  end_turn: null,
  stop_sequence: null,
  tool_use: null,
  refusal: null,
  max_tokens: "max_output_tokens",
  model_context_window_exceeded: "max_output_tokens",
  // Only the provider's own tools pause a turn, and none is offered.
  pause_turn: "max_output_tokens",
} as const satisfies Record<string, string | null>;

/** Why a response that stopped for this reason is incomplete; null when it is not. A word that is not known is an end. */
export function incompleteReasonOf(stopReason: string | null): string | null {
  return stopReason !== null && Object.hasOwn(STOP_REASONS, stopReason)
    ? STOP_REASONS[stopReason as keyof typeof STOP_REASONS]
    : null;
}
