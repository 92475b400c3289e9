// Checks model output against clients' JSON schemas, within bounds that protect the service from a hostile schema.
import Schema from "typebox/schema";
import { isExactNumber, toDouble } from "../base/exact-json.ts";
import { parseJson } from "../base/json.ts";
import { resolveReference } from "../base/json-pointer.ts";
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

const PATTERNS: ReadonlySet<string> = new Set(["pattern", "patternProperties"]);
/** Keywords that accept less when a pattern below them is left out. `oneOf` is another. */
const STRICTER_WITHOUT_PATTERNS: ReadonlySet<string> = new Set([
  "not",
  "if",
  "maxContains",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
/** Keywords with schemas by name. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords with values of the output. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

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
      return Schema.Check(checkable(schema, hasPatterns(schema)) as Schema.XSchema, value);
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
      const target = resolveReference(child, root);
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

/** Whether a schema has patterns, which are not checked. A property of such a name counts too: it costs a weaker check. */
function hasPatterns(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(([key, child]) => PATTERNS.has(key) || hasPatterns(child));
}

/**
 * The schema without patterns, its numbers as doubles like those of the output. `isWeak`: without what accepts more the
 * less a pattern accepts.
 */
function checkable(part: unknown, isWeak: boolean): unknown {
  if (Array.isArray(part)) return part.map((each) => checkable(each, isWeak));
  if (typeof part !== "object" || part === null || isExactNumber(part)) return toDouble(part);
  const checked: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(part)) {
    if (PATTERNS.has(key) || (isWeak && STRICTER_WITHOUT_PATTERNS.has(key))) continue;
    if (key === "additionalProperties" && "patternProperties" in part) continue;
    if (VALUES.has(key)) checked[key] = toDoubles(child);
    else if (NAMED.has(key)) checked[key] = mapValues(child, (each) => checkable(each, isWeak));
    else if (key !== "oneOf" || !isWeak) checked[key] = checkable(child, isWeak);
    // Several may match without their patterns.
    else if (!("anyOf" in part)) checked["anyOf"] = checkable(child, isWeak);
  }
  return checked;
}

function toDoubles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDoubles);
  return isExactNumber(value) ? toDouble(value) : mapValues(value, toDoubles);
}

function mapValues(value: unknown, map: (child: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, map(child)]));
}
