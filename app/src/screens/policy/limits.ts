import type { Organization } from "../../api/client.ts";

/** An organization's limits: names, labels and least values. */
export const LIMITS = [
  ["create_per_minute", "Create requests a minute", 1],
  ["retrieve_per_minute", "Retrieve requests a minute", 1],
  ["delete_per_minute", "Delete and cancel requests a minute", 1],
  ["tokens_per_minute", "Tokens of input and output a minute", 1],
  ["open_streams", "Streams open at the same time", 0],
  ["concurrent_turns", "Turns at once on each node, running and queued", 1],
] as const;

/** Limits in words; empty without one. */
export function describeLimits(limits: Organization["limits"]): string {
  return LIMITS.flatMap(([name, label]) => (limits[name] === null ? [] : [`${label}: ${limits[name]}`])).join("; ");
}
