// How many tool calls one response may make; output-builder.ts drops the others.
// @spec endpoints/post-responses (max_tool_calls)
import type { TurnHead } from "./turn.ts";

/**
 * The smallest of the request's limit, what the organization's calls per turn leave, and 1 when parallel calls are off;
 * Infinity when none is set. A continuation counts from zero against the request's limit; the organization's is for all
 * rounds of a turn together.
 */
export function toolCallLimit(
  {
    maxToolCalls,
    callsBefore = 0,
    parallelToolCalls,
  }: Pick<TurnHead, "maxToolCalls" | "callsBefore" | "parallelToolCalls">,
  policyToolCallsPerTurn: number | null,
): number {
  const left = policyToolCallsPerTurn === null ? Infinity : Math.max(0, policyToolCallsPerTurn - callsBefore);
  return Math.min(maxToolCalls ?? Infinity, left, parallelToolCalls ? Infinity : 1);
}
