// Encodes a JSON schema for this wire's constrained output. Keywords that the wire rejects move into the description,
// where the model reads them; the service checks the output against the client's own schema.
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { resolveReference } from "../../base/json-pointer.ts";
import { danglingReferences } from "../wire/schema-references.ts";
import { describeKeywords } from "../wire/tool-schema.ts";
import {
  combineObjects,
  type Copying,
  createCopying,
  createScope,
  includesObject,
  requiresOthers,
  type Scope,
  type UnsupportedKeyword,
} from "./combine-objects.ts";

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

/** Keywords that may give an object its properties. */
const COMBINING = ["anyOf", "oneOf", "allOf", "$ref"];

/** Encodes a schema; `description` precedes its own. */
export function encodeSchema(schema: JsonObject, description?: string): JsonObject {
  const encoded = encodeObject(schema, createScope(schema));
  if (description === undefined) return encoded;
  const own = typeof encoded.description === "string" && encoded.description !== "" ? [encoded.description] : [];
  return { ...encoded, description: [description, ...own].join("\n\n") };
}

/**
 * The first keyword of a schema that has no form on the wire; null if there is none. The root of a tool's schema must be
 * one object, without a choice. `copying` is what may be copied for all schemas of a prompt.
 */
export function findUnsupported(
  schema: JsonObject,
  { isOfTool = false, copying = createCopying() }: { isOfTool?: boolean; copying?: Copying } = {},
): UnsupportedKeyword | null {
  const scope = createScope(schema, copying);
  const encoded = encodeObject(schema, scope);
  if (scope.unsupported !== null) return scope.unsupported;
  // What it refers to has been merged into something else.
  const isLost = [...danglingReferences(encoded)].some(
    (reference) => resolveReference(reference, schema) !== undefined,
  );
  if (isLost) return { keyword: "$ref", kind: "combination" };
  if (!isOfTool || "properties" in encoded) return null;
  return { keyword: COMBINING.find((keyword) => keyword in schema) ?? "type", kind: "combination" };
}

/**
 * The keyword by which an object may have keys that are not named; null if there is none. The wire's objects have their
 * named keys only, so that a map could only be empty.
 */
function findMap(schema: JsonObject): UnsupportedKeyword | null {
  const { additionalProperties, unevaluatedProperties, patternProperties } = schema;
  const map = (keyword: string): UnsupportedKeyword => ({ keyword, kind: "map" });
  if (isJsonObject(additionalProperties)) return map("additionalProperties");
  if (isJsonObject(unevaluatedProperties)) return map("unevaluatedProperties");
  if (isJsonObject(patternProperties) && Object.keys(patternProperties).length > 0) return map("patternProperties");
  if (isJsonObject(schema.properties) || additionalProperties === false) {
    return namesAll(schema) ? null : map("required");
  }
  // Any object.
  if ("$ref" in schema) return null;
  const isAny = additionalProperties === true && !COMBINING.some((keyword) => keyword in schema);
  return isAny || includesObject(schema.type) ? map("no properties") : null;
}

/** Whether an object's properties name all that are required. */
function namesAll({ type, required, properties }: JsonObject): boolean {
  const isObject = type === undefined ? isJsonObject(properties) : includesObject(type);
  return !isObject || !requiresOthers(required, isJsonObject(properties) ? properties : {});
}

function encodeAny(schema: unknown, scope: Scope): unknown {
  return isJsonObject(schema) && !isExactNumber(schema) ? encodeObject(schema, scope) : schema;
}

function encodeObject(given: JsonObject, scope: Scope): JsonObject {
  scope.depth++;
  const schema = combineObjects(given, scope);
  scope.unsupported ??= findMap(schema);
  const encoded: Record<string, unknown> = {};
  const described: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (IGNORED.has(keyword)) continue;
    // `oneOf` becomes `anyOf`. The first wins in a schema with both, which is rare.
    const name = keyword === "oneOf" ? "anyOf" : keyword;
    const isFree = Object.hasOwn(KEYWORDS, keyword) && !Object.hasOwn(encoded, name);
    const taken = isFree ? KEYWORDS[keyword]?.(value, scope) : undefined;
    if (taken === undefined) described[keyword] = value;
    else encoded[name] = taken;
  }
  scope.depth--;
  closeObject(encoded, described);
  const complete = describeKeywords(encoded, described);
  // The wire takes no keywords beside a reference.
  const { $ref, ...beside } = complete;
  return $ref === undefined || Object.keys(beside).length === 0 ? complete : { anyOf: [{ $ref }], ...beside };
}

/** Closes the schema of an object, which the wire requires. */
function closeObject(encoded: Record<string, unknown>, described: Record<string, unknown>): void {
  const { type } = encoded;
  // The values imply the type, and the wire rejects several types beside them.
  if ("enum" in encoded || "const" in encoded) delete encoded.type;
  if (type !== undefined && !includesObject(type)) {
    delete encoded.properties;
    delete encoded.required;
  }
  // No object is open.
  if (described.unevaluatedProperties === false) delete described.unevaluatedProperties;
  if (includesObject(encoded.type) || (type === undefined && isJsonObject(encoded.properties))) {
    encoded.additionalProperties = false;
    encoded.properties ??= {};
    if (described.additionalProperties === false) delete described.additionalProperties;
  }
}

const asItIs = (value: unknown) => value;

/** Encodes the value of each keyword that the wire takes; undefined for a value that it does not take. */
const KEYWORDS: Readonly<Record<string, (value: unknown, scope: Scope) => unknown>> = {
  type: asItIs,
  title: asItIs,
  description: asItIs,
  required: asItIs,
  $ref: asItIs,
  enum: (value) => (Array.isArray(value) && value.length > 0 && value.every(isScalar) ? value : undefined),
  const: (value) => (isScalar(value) ? value : undefined),
  format: (value) => (FORMATS.has(value) ? value : undefined),
  minItems: (value) => (value === 0 || value === 1 ? value : undefined),
  items: (value, scope) => (isJsonObject(value) ? encodeAny(value, scope) : undefined),
  anyOf: encodeList,
  oneOf: encodeList,
  allOf: encodeList,
  properties: encodeMap,
  $defs: encodeMap,
  definitions: encodeMap,
};

function encodeList(value: unknown, scope: Scope): unknown {
  return Array.isArray(value) ? value.map((schema) => encodeAny(schema, scope)) : undefined;
}

function encodeMap(value: unknown, scope: Scope): unknown {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, encodeAny(schema, scope)]));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object" || isExactNumber(value);
}
