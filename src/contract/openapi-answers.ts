// Error answers that several operations have alike, written once.
import type { JsonSchema } from "./openapi-json.ts";
import type { Paths } from "./openapi-paths.ts";

/** Answers that several operations have alike become components, so that each is written once. */
export function shareAnswers(paths: Paths): { paths: Paths; responses: Record<string, JsonSchema> } {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const answer of allAnswers(paths)) {
    const json = JSON.stringify(answer);
    (seen.has(json) ? repeated : seen).add(json);
  }
  const responses: Record<string, JsonSchema> = {};
  const nameOf = new Map<string, string>();
  const share = (status: string, answer: JsonSchema): JsonSchema => {
    const json = JSON.stringify(answer);
    if (!repeated.has(json)) return answer;
    const name = nameOf.get(json) ?? nextName(`Refused${status}`, responses);
    nameOf.set(json, name);
    responses[name] = answer;
    return { $ref: `#/components/responses/${name}` };
  };
  return { paths: mapAnswers(paths, share), responses };
}

function* allAnswers(paths: Paths): Iterable<JsonSchema> {
  for (const methods of Object.values(paths)) {
    for (const operation of Object.values(methods)) yield* Object.values(operation.responses);
  }
}

function mapAnswers(paths: Paths, change: (status: string, answer: JsonSchema) => JsonSchema): Paths {
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (answer, status) =>
        status === "200" ? answer : change(status, answer),
      ),
    })),
  );
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** A name not taken yet: `Refused404`, then `Refused404_2`, … */
function nextName(name: string, taken: Readonly<Record<string, unknown>>, ordinal = 1): string {
  const candidate = ordinal === 1 ? name : `${name}_${ordinal}`;
  return candidate in taken ? nextName(name, taken, ordinal + 1) : candidate;
}
