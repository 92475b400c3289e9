// How many tool calls one response may make; output-builder.ts drops the others.
// @spec endpoints/post-responses (max_tool_calls)

/**
 * The smallest of the request's limit, the organization's calls per turn, and 1 when parallel calls are off; Infinity
 * when none is set. A continuation counts from zero against the same limit.
 */
export function toolCallLimit(
  maxToolCalls: number | null,
  policyToolCallsPerTurn: number | null,
  parallelToolCalls: boolean,
): number {
  return Math.min(maxToolCalls ?? Infinity, policyToolCallsPerTurn ?? Infinity, parallelToolCalls ? Infinity : 1);
}
