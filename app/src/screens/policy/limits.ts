import type { Key, Organization } from "../../api/client.ts";

const RATES = [
  ["create_per_minute", "Create requests a minute", 1],
  ["retrieve_per_minute", "Retrieve requests a minute", 1],
  ["delete_per_minute", "Delete and cancel requests a minute", 1],
  ["tokens_per_minute", "Tokens of input and output a minute", 1],
] as const;
const TURNS = ["concurrent_turns", "Responses at once on each node, running and queued", 1] as const;

/** A key's limits: names, labels and least values. */
export const KEY_LIMITS = [...RATES, TURNS] as const;

/** The same of an organization. */
export const LIMITS = [...RATES, ["open_streams", "Streams open at the same time", 0], TURNS] as const;

/** Limits of an organization in words; empty without one. */
export const describeLimits = (limits: Organization["limits"]): string => wordsOf(LIMITS, limits).join("; ");

/** A key's own limits in words; empty without one. */
export function describeKeyLimits(limits: Key["limits"]): string {
  return [...describeAllowed(limits.allow_models), ...wordsOf(KEY_LIMITS, limits)].join("; ");
}

/** The only models that may be used, in words; nothing for all. */
export function describeAllowed(models: readonly string[] | null): readonly string[] {
  if (models === null) return [];
  return [models.length === 0 ? "no model" : `only ${models.join(", ")}`];
}

function wordsOf<Name extends string>(
  names: readonly (readonly [name: Name, label: string, min: number])[],
  limits: Readonly<Record<Name, number | null>>,
): readonly string[] {
  return names.flatMap(([name, label]) => (limits[name] === null ? [] : [`${label}: ${limits[name]}`]));
}
