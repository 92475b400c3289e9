// Error responses that several operations share become components, so that each is written once.
import type { JsonSchema } from "./json.ts";
import type { Paths } from "./paths.ts";

/** Replaces repeated error responses by references; `responses` holds them by component name. */
export function shareResponses(paths: Paths): { paths: Paths; responses: Record<string, JsonSchema> } {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const counts = new Map<string, number>();
  for (const json of operations.flatMap(({ responses }) =>
    Object.values(responses).map((one) => JSON.stringify(one)),
  )) {
    counts.set(json, (counts.get(json) ?? 0) + 1);
  }
  const responses: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  const share = (response: JsonSchema, status: string): JsonSchema => {
    const json = JSON.stringify(response);
    if (status === "200" || counts.get(json) === 1) return response;
    const name = names.get(json) ?? nextName(`Refused${status}`, responses);
    names.set(json, name);
    responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  };
  const shared = mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({ ...operation, responses: mapValues(operation.responses, share) })),
  );
  return { paths: shared, responses };
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** A name that is free: `Refused404`, then `Refused404_2`, … */
function nextName(name: string, taken: Readonly<Record<string, unknown>>, ordinal = 1): string {
  const candidate = ordinal === 1 ? name : `${name}_${ordinal}`;
  return candidate in taken ? nextName(name, taken, ordinal + 1) : candidate;
}
