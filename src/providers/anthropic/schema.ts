// A JSON schema as this wire's constrained output takes it. Keywords that it refuses are told to the model in the description
// instead: none is lost, and the service checks the output against the schema as it was sent.
import { isRecord, type JsonRecord } from "../json-shape.ts";
import { tellKeywords } from "../tool-schema.ts";

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

/** Keywords that say nothing of a value. */
const SILENT = new Set(["$schema", "$id", "$anchor", "$comment"]);

/** Encodes a schema; `description` is put before its own. */
export function encodeSchema(schema: JsonRecord, description?: string): JsonRecord {
  const encoded = encodeObject(schema);
  if (description === undefined) return encoded;
  const own = typeof encoded.description === "string" && encoded.description !== "" ? [encoded.description] : [];
  return { ...encoded, description: [description, ...own].join("\n\n") };
}

function encodeAny(schema: unknown): unknown {
  return isRecord(schema) ? encodeObject(schema) : schema;
}

function encodeObject(schema: JsonRecord): JsonRecord {
  const encoded: Record<string, unknown> = {};
  const told: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SILENT.has(keyword)) continue;
    const known = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value) : undefined;
    if (known === undefined) told[keyword] = value;
    // `oneOf` becomes `anyOf`; a schema with both is rare enough to let the first win.
    else if (Object.hasOwn(encoded, known.keyword)) told[keyword] = value;
    else encoded[known.keyword] = known.value;
  }
  // Values say of what type they are; beside several types the wire refuses them.
  if ("enum" in encoded || "const" in encoded) delete encoded.type;
  if (isObjectSchema(encoded)) {
    encoded.additionalProperties = false;
    encoded.properties ??= {};
    if (told.additionalProperties === false) delete told.additionalProperties;
  }
  const described = tellKeywords(encoded, told);
  // A reference stands alone on this wire.
  const { $ref, ...beside } = described;
  return $ref === undefined || Object.keys(beside).length === 0 ? described : { anyOf: [{ $ref }], ...beside };
}

function isObjectSchema({ type, properties }: JsonRecord): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isRecord(properties);
}

interface Known {
  readonly keyword: string;
  readonly value: unknown;
}

/** What becomes of each keyword that the wire takes; undefined for a value of it that the wire does not take. */
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
  items: (value) => (isRecord(value) ? { keyword: "items", value: encodeAny(value) } : undefined),
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
  if (!isRecord(value)) return undefined;
  return {
    keyword,
    value: Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, encodeAny(schema)])),
  };
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}
