// Reasoning tokens within output tokens. @spec resources/usage

/** The counts of a server; `total` is null if it reports none. */
export interface OutputCounts {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly total: number | null;
}

/**
 * Output tokens including reasoning. Most servers count reasoning within output. xAI, and gateways to Gemini, count it separately: their
 * total is the sum of all three. Both charge it as output.
 */
export function outputWithReasoning({ input, output, reasoning, total }: OutputCounts): number {
  return total === input + output + reasoning ? output + reasoning : output;
}
