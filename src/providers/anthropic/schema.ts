// A JSON schema as this wire's constrained output takes it. Keywords that it refuses are told to the model in the description
// instead: none is lost, and the service checks the output against the schema as it was sent.
import { isRecord, type JsonRecord } from "../json-shape.ts";

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

/** Keywords that the wire takes anywhere but at the root of a tool's schema. */
const CHOICES = new Set(["oneOf", "anyOf", "allOf"]);

/** Encodes a schema; `description` is put before its own. */
export function encodeSchema(schema: JsonRecord, description?: string): JsonRecord {
  return describe(encodeObject(schema), description === undefined ? [] : [description]);
}

/** The schema of a tool that is not held to it, as it is, but for a choice of schemas at its root, which the wire refuses: it is told. */
export function encodeInput(schema: JsonRecord): JsonRecord {
  const entries = Object.entries(schema);
  const told = entries.filter(([keyword]) => CHOICES.has(keyword));
  if (told.length === 0) return schema;
  return tell(Object.fromEntries(entries.filter((entry) => !told.includes(entry))), Object.fromEntries(told));
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
  if (isObjectSchema(encoded)) {
    encoded.additionalProperties = false;
    encoded.properties ??= {};
    if (told.additionalProperties === false) delete told.additionalProperties;
  }
  const described = tell(encoded, told);
  // A reference stands alone on this wire.
  const { $ref, ...beside } = described;
  return $ref === undefined || Object.keys(beside).length === 0 ? described : { anyOf: [{ $ref }], ...beside };
}

/** A schema whose description says what its keywords do not. */
function tell(schema: JsonRecord, told: JsonRecord): JsonRecord {
  const words = Object.entries(told).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  return describe(schema, [], words.length === 0 ? [] : [`{${words.join(", ")}}`]);
}

function describe(schema: JsonRecord, before: readonly string[], behind: readonly string[] = []): JsonRecord {
  if (before.length + behind.length === 0) return schema;
  const own = typeof schema.description === "string" && schema.description !== "" ? [schema.description] : [];
  return { ...schema, description: [...before, ...own, ...behind].join("\n\n") };
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
  enum: (value) => (Array.isArray(value) && value.every(isScalar) ? { keyword: "enum", value } : undefined),
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
