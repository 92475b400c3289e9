// References within a JSON schema.
import { isJsonObject } from "../../base/json.ts";

/** Resolves a JSON pointer within the schema; undefined if it is malformed or has no target. */
export function resolveReference(reference: string, root: unknown): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const decoded = percentDecode(step);
    if (decoded === null) return undefined;
    const key = decoded.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isJsonObject(target) && Object.hasOwn(target, key)) target = target[key];
    else return undefined;
  }
  return target;
}

function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

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
