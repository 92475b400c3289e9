// Encodes a JSON schema for this wire's constrained output. Keywords that the wire rejects move into the description,
// where the model reads them; the service checks the output against the client's own schema.
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { describeKeywords } from "../wire/tool-schema.ts";

/** String formats that the wire enforces. */
const FORMATS: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Keywords that constrain nothing. */
const IGNORED = new Set(["$schema", "$id", "$anchor", "$comment"]);

/** Encodes a schema; `description` precedes its own. */
export function encodeSchema(schema: JsonObject, description?: string): JsonObject {
  const encoded = encodeObject(schema);
  if (description === undefined) return encoded;
  const own = typeof encoded.description === "string" && encoded.description !== "" ? [encoded.description] : [];
  return { ...encoded, description: [description, ...own].join("\n\n") };
}

/**
 * The keyword of a schema by which an object may have keys that are not named; null if there is none. The wire's objects have their named
 * keys only, so that a map could only be empty.
 */
export function findMap(schema: unknown): string | null {
  if (Array.isArray(schema)) return firstOf(schema);
  if (!isJsonObject(schema) || isExactNumber(schema)) return null;
  const { additionalProperties, unevaluatedProperties, patternProperties } = schema;
  if (isJsonObject(additionalProperties)) return "additionalProperties";
  if (isJsonObject(unevaluatedProperties)) return "unevaluatedProperties";
  if (isJsonObject(patternProperties) && Object.keys(patternProperties).length > 0) return "patternProperties";
  // Any object.
  const isObject = schema.type === "object" || additionalProperties === true;
  const isOpen =
    additionalProperties !== false && !["properties", "anyOf", "oneOf", "allOf", "$ref"].some((word) => word in schema);
  if (isObject && isOpen) return "no properties";
  return firstOf(Object.entries(schema).flatMap(([keyword, value]) => subschemas(keyword, value)));
}

function firstOf(schemas: readonly unknown[]): string | null {
  for (const one of schemas) {
    const found = findMap(one);
    if (found !== null) return found;
  }
  return null;
}

function subschemas(keyword: string, value: unknown): readonly unknown[] {
  if (keyword === "items") return [value];
  if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") return [value];
  const isMap = keyword === "properties" || keyword === "$defs" || keyword === "definitions";
  return isMap && isJsonObject(value) ? Object.values(value) : [];
}

function encodeAny(schema: unknown): unknown {
  return isJsonObject(schema) && !isExactNumber(schema) ? encodeObject(schema) : schema;
}

function encodeObject(schema: JsonObject): JsonObject {
  const encoded: Record<string, unknown> = {};
  const described: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (IGNORED.has(keyword)) continue;
    const taken = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value) : undefined;
    // `oneOf` becomes `anyOf`. The first wins in a schema with both, which is rare.
    const name = keyword === "oneOf" ? "anyOf" : keyword;
    if (taken === undefined || Object.hasOwn(encoded, name)) described[keyword] = value;
    else encoded[name] = taken;
  }
  // The values imply the type, and the wire rejects several types beside them.
  if ("enum" in encoded || "const" in encoded) delete encoded.type;
  if (isObjectSchema(encoded)) {
    encoded.additionalProperties = false;
    encoded.properties ??= {};
    if (described.additionalProperties === false) delete described.additionalProperties;
  }
  const complete = describeKeywords(encoded, described);
  // The wire takes no keywords beside a reference.
  const { $ref, ...beside } = complete;
  return $ref === undefined || Object.keys(beside).length === 0 ? complete : { anyOf: [{ $ref }], ...beside };
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isJsonObject(properties);
}

const asItIs = (value: unknown) => value;

/** Encodes the value of each keyword that the wire takes; undefined for a value that it does not take. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => unknown>> = {
  type: asItIs,
  title: asItIs,
  description: asItIs,
  required: asItIs,
  $ref: asItIs,
  enum: (value) => (Array.isArray(value) && value.length > 0 && value.every(isScalar) ? value : undefined),
  const: (value) => (isScalar(value) ? value : undefined),
  format: (value) => (FORMATS.has(value) ? value : undefined),
  minItems: (value) => (value === 0 || value === 1 ? value : undefined),
  items: (value) => (isJsonObject(value) ? encodeAny(value) : undefined),
  anyOf: encodeList,
  oneOf: encodeList,
  allOf: encodeList,
  properties: encodeMap,
  $defs: encodeMap,
  definitions: encodeMap,
};

function encodeList(value: unknown): unknown {
  return Array.isArray(value) ? value.map(encodeAny) : undefined;
}

function encodeMap(value: unknown): unknown {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, encodeAny(schema)]));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object" || isExactNumber(value);
}
