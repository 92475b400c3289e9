// Limits a JSON schema to the keywords that Gemini supports. The others move into the description, where the model
// reads them; the service checks the output against the client's own schema (docs/wire.md, Invalid structured output).
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** Supported keywords, each with the kind of its value. */
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

/** Keywords that constrain nothing, left out silently. */
const IGNORED: ReadonlySet<string> = new Set([
  "$schema",
  "$comment",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** Returns a limited copy of a schema. */
export function limitSchema(schema: JsonObject): JsonObject {
  // Only keywords that begin with `$` may stand beside a reference. A root that is one keeps its definitions.
  if (typeof schema.$ref === "string") {
    return { $ref: schema.$ref.replace(/^#\/definitions\//, "#/$defs/"), ...limitDefinitions(schema) };
  }
  const only = onlyPart(schema);
  // Schema generators wrap references like this to describe them. Handled before the loop, which would limit the
  // definitions a second time: twice at each of thirty levels is a billion times.
  if (only !== null && isReference(only)) return { ...limitSchema(only), ...limitDefinitions(schema) };
  const limited: Record<string, unknown> = {};
  const unsupported: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (holds !== undefined) limited[keyword] = limitValue(holds, value);
    else if (keyword === "definitions") limited.$defs = isJsonObject(value) ? limitProperties(value) : value;
    else if (keyword === "const") limitEnum([value], limited, unsupported);
    else if (keyword === "enum") limitEnum(value, limited, unsupported);
    else if (keyword === "allOf" && only !== null) Object.assign(limited, limitSchema(only));
    else if (!IGNORED.has(keyword) && !keyword.startsWith("x-")) unsupported[keyword] = value;
  }
  const patterns = isJsonObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  if (patterns.length > 0) limited.additionalProperties = limitPatterns(patterns, limited.additionalProperties);
  if (Object.keys(unsupported).length > 0) limited.description = describe(limited.description, unsupported);
  return limited;
}

/** The values of keys by pattern, as those of any key: a closed object without them could only be empty. */
function limitPatterns(patterns: readonly unknown[], others: unknown): unknown {
  const schemas = patterns.map((one) => (one === true ? {} : limitSubschema(one)));
  if (others === true) return true;
  if (isJsonObject(others)) schemas.push(others);
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

/** A schema with this description before its own. */
export function describeSchema(schema: JsonObject, description: string | undefined): JsonObject {
  if (description === undefined || description === "") return schema;
  // Only keywords that begin with `$` may stand beside a reference.
  const { $ref, ...rest } = schema;
  const whole = $ref === undefined ? schema : { anyOf: [{ $ref }], ...rest };
  const own = typeof schema.description === "string" && schema.description !== "" ? [schema.description] : [];
  return { ...whole, description: [description, ...own].join("\n\n") };
}

/** The part of an `allOf` of one; null without such an `allOf`. */
function onlyPart({ allOf }: JsonObject): JsonObject | null {
  return Array.isArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0]) ? allOf[0] : null;
}

/** Whether a schema is a reference, or nothing but one in an `allOf`. */
function isReference(schema: JsonObject): boolean {
  if (typeof schema.$ref === "string") return true;
  const only = onlyPart(schema);
  return only !== null && isReference(only);
}

/** The definitions beside a reference; empty if there are none. */
function limitDefinitions(schema: JsonObject): JsonObject {
  const definitions = schema.$defs ?? schema.definitions;
  return isJsonObject(definitions) ? { $defs: limitProperties(definitions) } : {};
}

function limitValue(holds: "value" | "schema" | "schemas" | "properties", value: unknown): unknown {
  if (holds === "schema") return limitSubschema(value);
  if (holds === "schemas") return Array.isArray(value) ? value.map(limitSubschema) : value;
  if (holds === "properties") return isJsonObject(value) ? limitProperties(value) : value;
  return value;
}

function limitSubschema(value: unknown): unknown {
  return isJsonObject(value) && !isExactNumber(value) ? limitSchema(value) : value;
}

function limitProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    // Only additionalProperties may be `true`; elsewhere {} accepts any value.
    Object.entries(properties).map(([name, value]) => [name, value === true ? {} : limitSubschema(value)]),
  );
}

/** `enum` supports strings and numbers. Other values move into the description, and their types become `type`. */
function limitEnum(values: unknown, limited: Record<string, unknown>, unsupported: Record<string, unknown>): void {
  if (!Array.isArray(values)) return;
  const isPlain = values.every((value) => typeof value === "string" || typeOf(value) === "number");
  if (isPlain) limited.enum = values;
  else unsupported.enum = values;
  // A type of the client's own wins, whatever the order of the keywords.
  if (limited.type === undefined && values.length > 0) limited.type = typeOfAll(values);
}

function typeOfAll(values: readonly unknown[]): string | readonly string[] {
  const types = [...new Set(values.map(typeOf))];
  const [only] = types;
  return types.length === 1 && only !== undefined ? only : types;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (isExactNumber(value)) return "number";
  return Array.isArray(value) ? "array" : typeof value;
}

function describe(description: unknown, unsupported: JsonObject): string {
  const requirement = `Must satisfy ${JSON.stringify(unsupported)}`;
  return typeof description === "string" && description !== "" ? `${description}\n${requirement}` : requirement;
}
