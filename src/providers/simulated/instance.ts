// Finds the smallest value that satisfies a JSON Schema, for structured output and tool arguments. Supports the
// keywords of draft 2020-12 that these use and ignores others.
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { resolveReference } from "../../base/json-pointer.ts";
import { findNumber, findString, NONE, readBound } from "./scalar.ts";

/** The most schemas visited in one search, which bounds the time of one that branches without end. */
const VISITS_MAX = 20_000;
/** Characters that cost as much as one visit. */
const CHARACTERS_A_VISIT = 100;
/** Keywords of a schema that cost as much as one visit. */
const KEYWORDS_A_VISIT = 10;
/** The most references in a chain. */
const REFERENCES_MAX = 64;
/** The most items created for `minItems`. */
const ITEMS_MAX = 1_000;

/** The visits left to all searches of one round. */
export interface Visits {
  left: number;
}

/** Creates the visits of one round. */
export function createVisits(): Visits {
  return { left: VISITS_MAX };
}

interface Search {
  readonly root: unknown;
  /** The open `$ref`s: the smallest value never needs one within itself. */
  readonly following: ReadonlySet<string>;
  readonly visits: Visits;
  /** Chooses among equally small values, for `uniqueItems`. */
  readonly variant: number;
}

/** A valid instance of a schema, always the same; null if none is found. */
export function createInstance(schema: unknown, visits = createVisits()): unknown {
  const value = find(schema, { root: schema, following: new Set(), visits, variant: 0 });
  return value === NONE ? null : value;
}

/** A valid instance of a tool's parameters: always an object. */
export function createArguments(parameters: JsonObject | null, visits = createVisits()): JsonObject {
  const value = parameters === null ? {} : createInstance(parameters, visits);
  return isJsonObject(value) && !isExactNumber(value) ? value : {};
}

function find(schema: unknown, search: Search): unknown {
  if (search.visits.left-- <= 0 || schema === false) return NONE;
  if (!isJsonObject(schema)) return "text";
  // A schema is copied to be merged, with all its keywords, known or not.
  search.visits.left -= Object.keys(schema).length / KEYWORDS_A_VISIT;
  if (typeof schema.$ref === "string") return findAll({}, [schema], search);
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = schema[key];
    if (!Array.isArray(parts)) continue;
    const { [key]: _, ...rest } = schema;
    return key === "allOf" ? findAll(rest, parts, search) : findFirst(parts, (part) => findAll(rest, [part], search));
  }
  if ("const" in schema) return given(schema.const, search);
  if (Array.isArray(schema.enum))
    return schema.enum.length === 0 ? NONE : given(schema.enum[search.variant % schema.enum.length], search);
  return findFirst(typesOf(schema), (type) => findOfType(type, schema, search));
}

/** A value given by the schema. Its length counts as visits: it may be used a thousand times. */
function given(value: unknown, { visits }: Search): unknown {
  if (typeof value === "string" || (typeof value === "object" && value !== null)) {
    visits.left -= JSON.stringify(value).length / CHARACTERS_A_VISIT;
  }
  return visits.left > 0 ? value : NONE;
}

function findFirst<T>(candidates: readonly T[], attempt: (candidate: T) => unknown): unknown {
  for (const candidate of candidates) {
    const value = attempt(candidate);
    if (value !== NONE) return value;
  }
  return NONE;
}

/** A value of a schema and of all these parts. */
function findAll(schema: JsonObject, parts: readonly unknown[], search: Search): unknown {
  let merged = schema;
  let inner = search;
  for (const part of parts) {
    const expanded = expand(part, inner);
    if (expanded === null || expanded.schema === false) return NONE;
    inner = expanded.search;
    if (isJsonObject(expanded.schema)) merged = merge(merged, expanded.schema, search);
    if (search.visits.left <= 0) return NONE;
  }
  return find(merged, inner);
}

/** The schema with its `$ref`s resolved; null if one of them is open already or resolves to nothing. */
function expand(schema: unknown, search: Search): { schema: unknown; search: Search } | null {
  let expanded: unknown = schema;
  let { following } = search;
  while (isJsonObject(expanded) && typeof expanded.$ref === "string") {
    const { $ref: reference, ...rest } = expanded;
    if (typeof reference !== "string" || following.has(reference) || following.size >= REFERENCES_MAX) return null;
    const target = resolveReference(reference, search.root);
    if (target === undefined) return null;
    following = new Set([...following, reference]);
    search.visits.left -= reference.length / CHARACTERS_A_VISIT;
    expanded = isJsonObject(target) ? merge(target, rest, search) : target;
  }
  return { schema: expanded, search: { ...search, following } };
}

/** Merges two schemas as far as their keywords allow. */
function merge(first: JsonObject, second: JsonObject, { visits }: Search): JsonObject {
  visits.left -= (sizeOf(first) + sizeOf(second)) / MERGED_A_VISIT;
  if (visits.left <= 0) return first;
  const merged: Record<string, unknown> = { ...first, ...second };
  if (isJsonObject(first.properties) && isJsonObject(second.properties)) {
    merged.properties = { ...first.properties, ...second.properties };
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    merged.required = [...new Set([...first.required, ...second.required])];
  }
  for (const key of ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]) joinBound(key, Math.max);
  for (const key of ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]) joinBound(key, Math.min);
  return merged;

  function joinBound(key: string, choose: (one: number, other: number) => number): void {
    const one = readBound(first[key]);
    const other = readBound(second[key]);
    if (one !== null && other !== null) merged[key] = choose(one, other);
  }
}

/** Property names whose merge costs as much as one visit. */
const MERGED_A_VISIT = 10;

function sizeOf({ properties, required }: JsonObject): number {
  return (
    (isJsonObject(properties) ? Object.keys(properties).length : 0) + (Array.isArray(required) ? required.length : 0)
  );
}

type TypeName = "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
const TYPE_NAMES: readonly TypeName[] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/** The type implied by a keyword, for schemas without `type`. */
const TYPE_BY_KEYWORD: ReadonlyMap<string, TypeName> = new Map([
  ["properties", "object"],
  ["required", "object"],
  ["additionalProperties", "object"],
  ["minProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
  ["minItems", "array"],
  ["minimum", "number"],
  ["exclusiveMinimum", "number"],
  ["maximum", "number"],
  ["multipleOf", "number"],
]);

/** Types to try, `null` last, so that a nullable field gets its other type. */
function typesOf(schema: JsonObject): readonly TypeName[] {
  const named: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = TYPE_NAMES.filter((name) => named.includes(name));
  if (types.length > 0) return types;
  for (const [keyword, type] of TYPE_BY_KEYWORD) if (keyword in schema) return [type];
  return ["string"];
}

function findOfType(type: TypeName, schema: JsonObject, search: Search): unknown {
  switch (type) {
    case "object":
      return findObject(schema, search);
    case "array":
      return findArray(schema, search);
    case "string":
      return given(findString(schema, search.variant), search);
    case "integer":
      return findNumber(schema, 1, search.variant);
    case "number":
      return findNumber(schema, 0, search.variant);
    case "boolean":
      return search.variant % 2 === 1;
    case "null":
      return null;
    default:
      return type satisfies never;
  }
}

function findObject(schema: JsonObject, search: Search): unknown {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const listed = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const required = new Set(listed);
  const least = Math.min(readBound(schema.minProperties) ?? 0, ITEMS_MAX);
  const value: Record<string, unknown> = {};
  let count = 0;
  for (const name of namesFor(properties, required)) {
    if (!required.has(name) && count >= least) break;
    if (Object.hasOwn(value, name)) continue;
    const field = find(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, search);
    if (field !== NONE) {
      define(value, name, field);
      count++;
    } else if (required.has(name)) return NONE;
  }
  return value;
}

/** Names for the properties of an object: the required ones, in the order of the properties, as a model writes them; then further ones. */
function* namesFor(properties: JsonObject, required: ReadonlySet<string>): Generator<string> {
  const known = Object.keys(properties);
  yield* known.filter((name) => required.has(name));
  yield* required;
  yield* known;
  for (let index = 1; index <= ITEMS_MAX; index++) yield `key_${index}`;
}

/** Sets a property, also one named `__proto__`. */
function define(value: Record<string, unknown>, name: string, field: unknown): void {
  Object.defineProperty(value, name, { value: field, enumerable: true, configurable: true, writable: true });
}

/** The schemas of the first items and of the rest. Draft 07, which SDKs send, has other keywords for them. */
function readItems(schema: JsonObject): { prefix: readonly unknown[]; rest: unknown } {
  if (Array.isArray(schema.items)) return { prefix: schema.items, rest: schema.additionalItems };
  return { prefix: Array.isArray(schema.prefixItems) ? schema.prefixItems : [], rest: schema.items };
}

function findArray(schema: JsonObject, search: Search): unknown {
  const { prefix, rest } = readItems(schema);
  const leastByContains = schema.contains === undefined ? 0 : (readBound(schema.minContains) ?? 1);
  const length = Math.min(Math.max(readBound(schema.minItems) ?? 0, leastByContains), ITEMS_MAX);
  const value: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const itemSchema =
      index < prefix.length
        ? prefix[index]
        : index < prefix.length + leastByContains
          ? (schema.contains ?? rest)
          : rest;
    const variant = schema.uniqueItems === true ? search.variant + index : search.variant;
    const item = find(itemSchema, { ...search, variant });
    if (item === NONE) return NONE;
    value.push(item);
  }
  return value;
}
