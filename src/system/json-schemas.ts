// Checks answers against the JSON schemas of clients, without letting a hostile schema hold up the service.
import Schema from "typebox/schema";
import type { JsonSchemas } from "../ports/json-schemas.ts";

/** Schemas that would visit more places than this for one value are not judged. */
const PLACES_MAX = 20_000;
/** References followed one behind another; schemas that lead further are not judged. */
const REFERENCES_MAX = 64;

/**
 * The check used in service. Patterns are passed over (a regular expression can take for ever), and so are recursive schemas. A schema
 * that can't be judged accepts: the model has answered, and its answer is what was asked for and paid.
 */
export const jsonSchemas: JsonSchemas = {
  accepts(schema, text) {
    const value = parse(text);
    if (value === undefined) return false;
    try {
      if (countPlaces(schema, schema, []) > PLACES_MAX) return true;
      return Schema.Check(withoutPatterns(schema) as Schema.XSchema, value);
    } catch {
      return true;
    }
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Subschemas visited for one value with every reference followed; Infinity for a schema that refers to itself or to nothing. */
function countPlaces(part: unknown, root: unknown, followed: readonly string[]): number {
  if (typeof part !== "object" || part === null) return 1;
  let places = 1;
  for (const [key, child] of Object.entries(part)) {
    if (places > PLACES_MAX) return places;
    if (key === "$defs" || key === "definitions") continue;
    if ((key === "$ref" || key === "$dynamicRef") && typeof child === "string") {
      if (followed.includes(child) || followed.length >= REFERENCES_MAX) return Number.POSITIVE_INFINITY;
      const target = resolve(root, child);
      if (target === undefined) return Number.POSITIVE_INFINITY;
      places += countPlaces(target, root, [...followed, child]);
    } else places += countPlaces(child, root, followed);
  }
  return places;
}

/** What a reference points to inside the document; undefined: nothing, or something elsewhere. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found = root;
  for (const step of reference.split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined;
  }
  return found;
}

function withoutPatterns(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutPatterns);
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part)
    // Only as keywords: a property may bear the same name, its schema is an object.
    .filter(([key, child]) => !(key === "pattern" && typeof child === "string") && key !== "patternProperties")
    .map(([key, child]) => [key, withoutPatterns(child)]);
  return Object.fromEntries(entries);
}
