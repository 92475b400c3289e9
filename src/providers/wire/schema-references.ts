// References within a JSON schema.
import { resolveReference } from "../../base/json-pointer.ts";

/** The JSON pointers in a schema that have no target in it. */
export function danglingReferences(schema: unknown): ReadonlySet<string> {
  const references = new Set<string>();
  collectPointers(schema, references);
  return new Set([...references].filter((reference) => resolveReference(reference, schema) === undefined));
}

function collectPointers(value: unknown, references: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if ("$ref" in value && typeof value.$ref === "string" && value.$ref.startsWith("#/")) references.add(value.$ref);
  for (const inner of Object.values(value)) collectPointers(inner, references);
}
