// Checks model output against clients' JSON schemas, within bounds that protect the service from a hostile schema.
import Schema from "typebox/schema";
import { isExactNumber, toDouble } from "../base/exact-json.ts";
import { parseJson } from "../base/json.ts";
import type { JsonSchemas } from "../ports/json-schemas.ts";

/** Schemas with more subschemas to visit for one value are not checked. */
const PLACES_MAX = 20_000;
/**
 * The most places of the schema times values of the output, since each place may look at each value: a quarter of a
 * second at most.
 */
const VISITS_MAX = 500_000;
/** Characters that take as long to compare as a value takes to visit. */
const CHARACTERS_PER_VISIT = 100;
/** Longest chain of references; schemas with a longer one are not checked. */
const REFERENCES_MAX = 64;
/** Characters of the longest reference that is followed: each occurrence is resolved again. */
const REFERENCE_CHARACTERS_MAX = 1_000;
/** The cost of following a reference, in places. */
const REFERENCE_PLACES = 10;

/**
 * Patterns are ignored, since a regular expression can run forever, and recursive schemas are not checked. Output
 * passes a schema that is not checked: it was requested and paid for.
 */
export const jsonSchemas: JsonSchemas = {
  accepts(schema, text) {
    const value = parseJson(text);
    if (value === undefined) return false;
    try {
      const places = countPlaces(schema, schema, []);
      if (places > PLACES_MAX || places * countValues(value, VISITS_MAX / places) > VISITS_MAX) return true;
      return Schema.Check(checkable(schema) as Schema.XSchema, value);
    } catch {
      return true;
    }
  },
};

/**
 * Number of subschemas visited for one value, references followed; Infinity for a recursive or unresolved reference.
 */
function countPlaces(part: unknown, root: unknown, followed: readonly string[]): number {
  if (typeof part !== "object" || part === null) return 1;
  let places = 1;
  for (const [key, child] of Object.entries(part)) {
    if (places > PLACES_MAX) return places;
    if (key === "$defs" || key === "definitions") continue;
    if ((key === "$ref" || key === "$dynamicRef") && typeof child === "string") {
      if (followed.includes(child) || followed.length >= REFERENCES_MAX) return Number.POSITIVE_INFINITY;
      if (child.length > REFERENCE_CHARACTERS_MAX) return Number.POSITIVE_INFINITY;
      const target = resolve(root, child);
      if (target === undefined) return Number.POSITIVE_INFINITY;
      places += REFERENCE_PLACES + countPlaces(target, root, [...followed, child]);
    } else places += countPlaces(child, root, followed);
  }
  return places;
}

/**
 * The values in a value, itself among them, and one more for every hundred characters of its texts and keys: where
 * items must be unique, each place reads all of them. Counting ends beyond `most`.
 */
function countValues(value: unknown, most: number): number {
  if (typeof value === "string") return 1 + value.length / CHARACTERS_PER_VISIT;
  let count = 1;
  if (typeof value !== "object" || value === null) return count;
  for (const [key, child] of Object.entries(value)) {
    if (count > most) break;
    count += key.length / CHARACTERS_PER_VISIT + countValues(child, most - count);
  }
  return count;
}

/** Resolves a reference within the document; undefined if it points to nothing or outside. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined;
  }
  return found;
}

/** The schema without patterns, its numbers as doubles like those of the output. */
function checkable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(checkable);
  if (typeof part !== "object" || part === null || isExactNumber(part)) return toDouble(part);
  const entries = Object.entries(part)
    // Only the keyword: the schema of a property named `pattern` is an object.
    .filter(([key, child]) => !(key === "pattern" && typeof child === "string") && key !== "patternProperties")
    .map(([key, child]) => [key, checkable(child)]);
  return Object.fromEntries(entries);
}
