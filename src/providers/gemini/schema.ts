// Limits a JSON schema to the keywords that Gemini supports. The others move into the description, where the model
// reads them; the service checks the output against the client's own schema (docs/wire.md, Invalid structured output).
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { mergeAllOf } from "../wire/merge-schemas.ts";
import { resolveReference } from "../../base/json-pointer.ts";

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

/** What a reference has to know about the whole schema. */
interface Scope {
  /** What is appended to the names of those `definitions` that are called like one of the `$defs`. */
  readonly suffixes: ReadonlyMap<string, string>;
  /** References that are sent. */
  readonly references: Set<string>;
  /** References that have no target in what is sent. */
  readonly dangling: ReadonlySet<string>;
}

/** Returns a limited copy of a schema. */
export function limitSchema(schema: JsonObject): JsonObject {
  const suffixes = suffixesOf(schema);
  const references = new Set<string>();
  const limited = limit(schema, { suffixes, references, dangling: new Set() });
  const isDangling = (one: string) => one.startsWith("#/") && resolveReference(one, limited) === undefined;
  const dangling = new Set([...references].filter(isDangling));
  return dangling.size === 0 ? limited : limit(schema, { suffixes, references, dangling });
}

function limit(schema: JsonObject, scope: Scope): JsonObject {
  const { allOf, $defs, definitions, ...keywords } = mergeAllOf(schema);
  const { reference, described } = chooseReference(keywords.$ref, allOf, scope);
  const limited: Record<string, unknown> = {};
  const unsupported: Record<string, unknown> = { ...described };
  for (const [keyword, value] of Object.entries(keywords)) {
    const holds = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (keyword === "$ref") continue;
    // The reference takes their place.
    if (reference !== null && (keyword === "anyOf" || keyword === "oneOf")) unsupported[keyword] = value;
    else if (holds !== undefined) limited[keyword] = limitValue(holds, value, scope);
    else if (keyword === "const") limitEnum([value], limited, unsupported);
    else if (keyword === "enum") limitEnum(value, limited, unsupported);
    else if (!IGNORED.has(keyword) && !keyword.startsWith("x-")) unsupported[keyword] = value;
  }
  const patterns = isJsonObject(keywords.patternProperties) ? Object.values(keywords.patternProperties) : [];
  if (patterns.length > 0) limited.additionalProperties = limitPatterns(patterns, limited.additionalProperties, scope);
  if ($defs !== undefined || definitions !== undefined) limited.$defs = limitDefinitions($defs, definitions, scope);
  if (Object.keys(unsupported).length > 0) limited.description = describe(limited.description, unsupported);
  return reference === null ? limited : beside(reference, limited);
}

/**
 * The one reference that is sent of a schema and of what is left of its `allOf`, null if there is none; and the
 * keywords for what is not sent.
 */
function chooseReference($ref: unknown, allOf: unknown, { suffixes, references, dangling }: Scope) {
  const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : allOf === undefined ? [] : [allOf];
  let reference: string | null = null;
  const left: unknown[] = [];
  for (const part of $ref === undefined ? parts : [{ $ref }, ...parts]) {
    const here: string | null = reference === null && isReference(part) ? encodeReference(part.$ref, suffixes) : null;
    if (here === null || dangling.has(here)) left.push(part);
    else reference = here;
  }
  if (reference !== null) references.add(reference);
  return { reference, described: left.length > 0 ? { allOf: left } : {} };
}

function isReference(part: unknown): part is { $ref: string } {
  return isJsonObject(part) && typeof part.$ref === "string" && Object.keys(part).length === 1;
}

/** A reference with keywords beside it: only those that begin with `$` may stand there. */
function beside($ref: string, keywords: JsonObject): JsonObject {
  return Object.keys(keywords).every((keyword) => keyword.startsWith("$"))
    ? { $ref, ...keywords }
    : { anyOf: [{ $ref }], ...keywords };
}

/** The values of keys by pattern, as those of any key: a closed object without them could only be empty. */
function limitPatterns(patterns: readonly unknown[], others: unknown, scope: Scope): unknown {
  const schemas = patterns.map((one) => (one === true ? {} : limitSubschema(one, scope)));
  if (others === true) return true;
  if (isJsonObject(others)) schemas.push(others);
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

/** A schema with this description before its own. */
export function describeSchema(schema: JsonObject, description: string | undefined): JsonObject {
  if (description === undefined || description === "") return schema;
  const { $ref, ...rest } = schema;
  const own = typeof schema.description === "string" && schema.description !== "" ? [schema.description] : [];
  const described = { ...rest, description: [description, ...own].join("\n\n") };
  return typeof $ref === "string" ? beside($ref, described) : described;
}

/** The definitions of both names under the newer one. */
function limitDefinitions($defs: unknown, definitions: unknown, scope: Scope): unknown {
  if (!isJsonObject(definitions)) return isJsonObject($defs) ? limitProperties($defs, scope) : $defs;
  const older = Object.entries(definitions).map(([name, schema]) => [name + (scope.suffixes.get(name) ?? ""), schema]);
  const all: JsonObject = Object.fromEntries([...older, ...(isJsonObject($defs) ? Object.entries($defs) : [])]);
  return limitProperties(all, scope);
}

function suffixesOf({ $defs, definitions }: JsonObject): ReadonlyMap<string, string> {
  const suffixes = new Map<string, string>();
  if (!isJsonObject($defs) || !isJsonObject(definitions)) return suffixes;
  let count = 1;
  for (const name of Object.keys(definitions)) {
    if (!Object.hasOwn($defs, name)) continue;
    while (Object.hasOwn($defs, `${name}_${count}`) || Object.hasOwn(definitions, `${name}_${count}`)) count++;
    suffixes.set(name, `_${count++}`);
  }
  return suffixes;
}

function encodeReference(reference: string, suffixes: ReadonlyMap<string, string>): string {
  return reference.replace(/^#\/definitions\/([^/]*)/, (_, step: string) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return `#/$defs/${step}${suffixes.get(name) ?? ""}`;
  });
}

function limitValue(holds: "value" | "schema" | "schemas" | "properties", value: unknown, scope: Scope): unknown {
  if (holds === "schema") return limitSubschema(value, scope);
  if (holds === "schemas") return Array.isArray(value) ? value.map((one) => limitSubschema(one, scope)) : value;
  if (holds === "properties") return isJsonObject(value) ? limitProperties(value, scope) : value;
  return value;
}

function limitSubschema(value: unknown, scope: Scope): unknown {
  return isJsonObject(value) && !isExactNumber(value) ? limit(value, scope) : value;
}

function limitProperties(properties: JsonObject, scope: Scope): JsonObject {
  return Object.fromEntries(
    // Only additionalProperties may be `true`; elsewhere {} accepts any value.
    Object.entries(properties).map(([name, value]) => [name, value === true ? {} : limitSubschema(value, scope)]),
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
