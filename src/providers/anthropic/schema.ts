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

function encodeAny(schema: unknown): unknown {
  return isJsonObject(schema) && !isExactNumber(schema) ? encodeObject(schema) : schema;
}

function encodeObject(schema: JsonObject): JsonObject {
  const encoded: Record<string, unknown> = {};
  const described: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (IGNORED.has(keyword)) continue;
    const known = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value) : undefined;
    if (known === undefined) described[keyword] = value;
    // `oneOf` becomes `anyOf`. The first wins in a schema with both, which is rare.
    else if (Object.hasOwn(encoded, known.keyword)) described[keyword] = value;
    else encoded[known.keyword] = known.value;
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

interface Known {
  readonly keyword: string;
  readonly value: unknown;
}

/** Encodes each keyword that the wire takes; undefined for a value that it does not take. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => Known | undefined>> = {
  type: (value) => ({ keyword: "type", value }),
  title: (value) => ({ keyword: "title", value }),
  description: (value) => ({ keyword: "description", value }),
  required: (value) => ({ keyword: "required", value }),
  $ref: (value) => ({ keyword: "$ref", value }),
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isScalar) ? { keyword: "enum", value } : undefined,
  const: (value) => (isScalar(value) ? { keyword: "const", value } : undefined),
  format: (value) => (FORMATS.has(value) ? { keyword: "format", value } : undefined),
  minItems: (value) => (value === 0 || value === 1 ? { keyword: "minItems", value } : undefined),
  items: (value) => (isJsonObject(value) ? { keyword: "items", value: encodeAny(value) } : undefined),
  anyOf: (value) => encodeList("anyOf", value),
  oneOf: (value) => encodeList("anyOf", value),
  allOf: (value) => encodeList("allOf", value),
  properties: (value) => encodeMap("properties", value),
  $defs: (value) => encodeMap("$defs", value),
  definitions: (value) => encodeMap("definitions", value),
};

function encodeList(keyword: string, value: unknown): Known | undefined {
  return Array.isArray(value) ? { keyword, value: value.map(encodeAny) } : undefined;
}

function encodeMap(keyword: string, value: unknown): Known | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    keyword,
    value: Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, encodeAny(schema)])),
  };
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object" || isExactNumber(value);
}
