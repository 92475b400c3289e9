// A JSON schema in the keywords that Gemini understands. What it does not is said in the description, where the model still reads
// it; the output is checked against the client's own schema afterwards (docs/wire.md, settled 13).
import { isRecord, type JsonRecord } from "../json-shape.ts";

/** Keywords that stand as they are, each with what its value holds. */
const KEYWORDS: Readonly<Record<string, "value" | "schema" | "schemas" | "properties">> = {
  $id: "value",
  $anchor: "value",
  type: "value",
  format: "value",
  title: "value",
  description: "value",
  required: "value",
  propertyOrdering: "value",
  minItems: "value",
  maxItems: "value",
  minimum: "value",
  maximum: "value",
  items: "schema",
  additionalProperties: "schema",
  prefixItems: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  properties: "properties",
  $defs: "properties",
};

/** Keywords that constrain nothing: left out without a word. */
const IDLE: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Rewrites a schema; the client's own is not changed. */
export function limitSchema(schema: JsonRecord): JsonRecord {
  // Beside a reference nothing may stand that does not begin with `$`; a root that is one keeps its definitions.
  if (typeof schema.$ref === "string") {
    return { $ref: schema.$ref.replace(/^#\/definitions\//, "#/$defs/"), ...limitDefinitions(schema) };
  }
  const limited: Record<string, unknown> = {};
  const untold: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (holds !== undefined) limited[keyword] = limitValue(holds, value);
    else if (keyword === "definitions") limited.$defs = isRecord(value) ? limitProperties(value) : value;
    else if (keyword === "const") limitEnum([value], limited, untold);
    else if (keyword === "enum") limitEnum(value, limited, untold);
    else if (keyword === "allOf" && Array.isArray(value) && value.length === 1 && isRecord(value[0])) {
      // What generators wrap around a reference in order to describe it.
      const only = limitSchema(value[0]);
      if (typeof only.$ref === "string") return { ...only, ...limitDefinitions(schema) };
      Object.assign(limited, only);
    } else if (!IDLE.has(keyword) && !keyword.startsWith("x-")) untold[keyword] = value;
  }
  if (Object.keys(untold).length > 0) limited.description = describe(limited.description, untold);
  return limited;
}

/** The definitions of a schema that is nothing but a reference; nothing when it has none. */
function limitDefinitions(schema: JsonRecord): JsonRecord {
  const definitions = schema.$defs ?? schema.definitions;
  return isRecord(definitions) ? { $defs: limitProperties(definitions) } : {};
}

function limitValue(holds: "value" | "schema" | "schemas" | "properties", value: unknown): unknown {
  if (holds === "schema") return limitSubschema(value);
  if (holds === "schemas") return Array.isArray(value) ? value.map(limitSubschema) : value;
  if (holds === "properties") return isRecord(value) ? limitProperties(value) : value;
  return value;
}

function limitSubschema(value: unknown): unknown {
  return isRecord(value) ? limitSchema(value) : value;
}

function limitProperties(properties: JsonRecord): JsonRecord {
  return Object.fromEntries(
    // `true` stands for any value; only additionalProperties may say so.
    Object.entries(properties).map(([name, value]) => [name, value === true ? {} : limitSubschema(value)]),
  );
}

/** `enum` is for texts and numbers; of other values their type is said, and the values in words. */
function limitEnum(values: unknown, limited: Record<string, unknown>, untold: Record<string, unknown>): void {
  if (!Array.isArray(values)) return;
  const isPlain = values.every((value) => typeof value === "string" || typeof value === "number");
  if (isPlain) limited.enum = values;
  else untold.enum = values;
  // A type that is given stands, before or behind.
  if (limited.type === undefined && values.length > 0) limited.type = typeOfAll(values);
}

function typeOfAll(values: readonly unknown[]): string | readonly string[] {
  const types = [...new Set(values.map(typeOf))];
  const [only] = types;
  return types.length === 1 && only !== undefined ? only : types;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function describe(description: unknown, untold: JsonRecord): string {
  const words = `Must satisfy ${JSON.stringify(untold)}`;
  return typeof description === "string" && description !== "" ? `${description}\n${words}` : words;
}
