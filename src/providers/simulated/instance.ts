// The smallest value that satisfies a JSON Schema: what a simulated model answers or calls a tool with. Draft 2020-12 as far as
// structured output and tools use it; keywords it does not know are passed over.
import { isRecord, type JsonRecord } from "../json-shape.ts";
import { findNumber, findString, NONE, readBound } from "./scalar.ts";

/** Schemas visited at most: one that branches without end costs bounded time. */
const VISITS_MAX = 20_000;
/** References followed at most, one behind another. */
const REFERENCES_MAX = 64;
/** Items made at most for `minItems`. */
const ITEMS_MAX = 1_000;

interface Search {
  readonly root: unknown;
  /** The `$ref`s that are being followed: the smallest value never needs one within itself. */
  readonly following: ReadonlySet<string>;
  readonly visits: { left: number };
  /** Which one of several equally small values, for `uniqueItems`. */
  readonly variant: number;
}

/** A valid instance of a schema, always the same one; null when none was found. */
export function createInstance(schema: unknown): unknown {
  const value = find(schema, { root: schema, following: new Set(), visits: { left: VISITS_MAX }, variant: 0 });
  return value === NONE ? null : value;
}

/** A valid instance of a tool's parameters: always an object. */
export function createArguments(parameters: JsonRecord | null): JsonRecord {
  const value = parameters === null ? {} : createInstance(parameters);
  return isRecord(value) ? value : {};
}

function find(schema: unknown, search: Search): unknown {
  if (search.visits.left-- <= 0 || schema === false) return NONE;
  if (!isRecord(schema)) return "text";
  if (typeof schema.$ref === "string") return findExpanded({}, schema, search);
  if (Array.isArray(schema.allOf)) return findAll(schema, schema.allOf, search);
  for (const key of ["anyOf", "oneOf"] as const) {
    const branches = schema[key];
    if (!Array.isArray(branches)) continue;
    const { [key]: _, ...rest } = schema;
    return findFirst(branches, (branch) => findExpanded(rest, branch, search));
  }
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum))
    return schema.enum.length === 0 ? NONE : schema.enum[search.variant % schema.enum.length];
  return findFirst(typesOf(schema), (type) => findOfType(type, schema, search));
}

function findFirst<T>(candidates: readonly T[], attempt: (candidate: T) => unknown): unknown {
  for (const candidate of candidates) {
    const value = attempt(candidate);
    if (value !== NONE) return value;
  }
  return NONE;
}

/** A value of both schemas. */
function findExpanded(base: JsonRecord, schema: unknown, search: Search): unknown {
  const expanded = expand(schema, search);
  if (expanded === null) return NONE;
  return find(isRecord(expanded.schema) ? merge(base, expanded.schema) : expanded.schema, expanded.search);
}

function findAll(schema: JsonRecord, parts: readonly unknown[], search: Search): unknown {
  const { allOf: _, ...rest } = schema;
  let merged: JsonRecord = rest;
  let inner = search;
  for (const part of parts) {
    const expanded = expand(part, inner);
    if (expanded === null || expanded.schema === false) return NONE;
    inner = expanded.search;
    if (isRecord(expanded.schema)) merged = merge(merged, expanded.schema);
  }
  return find(merged, inner);
}

/** The schema with its `$ref`s replaced by what they name; null when one of them is being followed already. */
function expand(schema: unknown, search: Search): { schema: unknown; search: Search } | null {
  let expanded: unknown = schema;
  let { following } = search;
  while (isRecord(expanded) && typeof expanded.$ref === "string") {
    const { $ref: reference, ...rest } = expanded;
    if (typeof reference !== "string" || following.has(reference) || following.size >= REFERENCES_MAX) return null;
    const target = resolve(reference, search.root);
    if (target === undefined) return null;
    following = new Set([...following, reference]);
    expanded = isRecord(target) ? merge(target, rest) : target;
  }
  return { schema: expanded, search: { ...search, following } };
}

/** Follows a JSON pointer within the schema; undefined when it is none, or leads nowhere. */
function resolve(reference: string, root: unknown): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const decoded = percentDecode(step);
    if (decoded === null) return undefined;
    const key = decoded.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isRecord(target) && Object.hasOwn(target, key)) target = target[key];
    else return undefined;
  }
  return target;
}

function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Both schemas at once, as far as their keywords can be joined. */
function merge(first: JsonRecord, second: JsonRecord): JsonRecord {
  const merged: Record<string, unknown> = { ...first, ...second };
  if (isRecord(first.properties) && isRecord(second.properties)) {
    merged.properties = { ...first.properties, ...second.properties };
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    merged.required = [...new Set([...first.required, ...second.required])];
  }
  for (const key of ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]) joinBound(key, Math.max);
  for (const key of ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]) joinBound(key, Math.min);
  return merged;

  function joinBound(key: string, choose: (one: number, other: number) => number): void {
    const one = first[key];
    const other = second[key];
    if (typeof one === "number" && typeof other === "number") merged[key] = choose(one, other);
  }
}

type TypeName = "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
const TYPE_NAMES: readonly TypeName[] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/** Keywords that speak of one type only, for schemas that name none. */
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

/** Types to try, `null` last: a nullable field shows its other type. */
function typesOf(schema: JsonRecord): readonly TypeName[] {
  const named: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = TYPE_NAMES.filter((name) => named.includes(name));
  if (types.length > 0) return types;
  for (const [keyword, type] of TYPE_BY_KEYWORD) if (keyword in schema) return [type];
  return ["string"];
}

function findOfType(type: TypeName, schema: JsonRecord, search: Search): unknown {
  switch (type) {
    case "object":
      return findObject(schema, search);
    case "array":
      return findArray(schema, search);
    case "string":
      return findString(schema, search.variant);
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

function findObject(schema: JsonRecord, search: Search): unknown {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const value: Record<string, unknown> = {};
  // In the order of the properties, as a model writes them.
  const names = [...Object.keys(properties).filter((name) => required.includes(name)), ...required];
  for (const name of new Set(names)) {
    const field = find(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, search);
    if (field === NONE) return NONE;
    define(value, name, field);
  }
  const fillers = [...Object.keys(properties), ...Array.from({ length: ITEMS_MAX }, (_, index) => `key_${index + 1}`)];
  const wanted = Math.min(readBound(schema.minProperties) ?? 0, ITEMS_MAX);
  for (const name of fillers) {
    if (Object.keys(value).length >= wanted) break;
    if (Object.hasOwn(value, name)) continue;
    const field = find(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, search);
    if (field !== NONE) define(value, name, field);
  }
  return value;
}

/** Sets a key as data, `__proto__` too. */
function define(value: Record<string, unknown>, name: string, field: unknown): void {
  Object.defineProperty(value, name, { value: field, enumerable: true, configurable: true, writable: true });
}

/** The schemas of the first items, and of those behind them; draft 07, which SDKs send, has other words for the two. */
function readItems(schema: JsonRecord): { prefix: readonly unknown[]; rest: unknown } {
  if (Array.isArray(schema.items)) return { prefix: schema.items, rest: schema.additionalItems };
  return { prefix: Array.isArray(schema.prefixItems) ? schema.prefixItems : [], rest: schema.items };
}

function findArray(schema: JsonRecord, search: Search): unknown {
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
