// Writes the schemas that apply to one object as one schema. The wire closes each schema of an object, so that two of
// them would forbid each other's properties.
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { commonTypes, type FollowReference, mergeAllOf } from "../wire/merge-schemas.ts";
import { resolveReference } from "../../base/json-pointer.ts";

/** The most characters of a prompt's schemas that are copied to be combined: a hostile schema could ask for billions. */
const COPIED_CHARACTERS_MAX = 1_000_000;
/** The deepest schema in which references are followed: a recursive one never ends. */
const DEPTH_MAX = 64;
/** The depth of what is merged from a reference, which may itself begin with one. */
const REFERENCE_DEPTH = 8;
/** Keywords that may say more about the objects that a reference beside them allows. */
const ABOUT_OBJECTS = ["properties", "required", "items", "anyOf", "oneOf"] as const;

/** Keywords of schemas in which there may be objects. */
const COMPOUND = ["properties", "items", "anyOf", "oneOf", "allOf", "$ref"] as const;

/** How much may still be copied for the schemas of a prompt. */
export interface Copying {
  charactersLeft: number;
}

/** The state of one encoding. */
export interface Scope {
  readonly root: JsonObject;
  readonly copying: Copying;
  /** For each choice with the properties beside it, the keyword that had it. */
  readonly keywordOf: WeakMap<JsonObject, string>;
  /** Number of schemas around the one that is encoded. */
  depth: number;
  /** The first keyword that has no form on the wire. */
  unsupported: UnsupportedKeyword | null;
}

export interface UnsupportedKeyword {
  readonly keyword: string;
  /**
   * `map`: it allows keys that are not named; `combination`: its objects cannot be written as one; `size`: too much would
   * have to be copied for that.
   */
  readonly kind: "map" | "combination" | "size";
}

/** What may be copied for the schemas of one prompt. */
export function createCopying(): Copying {
  return { charactersLeft: COPIED_CHARACTERS_MAX };
}

/** The scope of a whole schema. */
export function createScope(root: JsonObject, copying = createCopying()): Scope {
  return { root, copying, keywordOf: new WeakMap(), depth: 0, unsupported: null };
}

/** Whether a value of `type` includes objects. */
export function includesObject(type: unknown): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object"));
}

/** Whether a value of `required` has names that are not among these properties. */
export function requiresOthers(required: unknown, properties: JsonObject): boolean {
  return (
    Array.isArray(required) && required.some((name) => typeof name === "string" && !Object.hasOwn(properties, name))
  );
}

/**
 * The schema with its `allOf` merged into it, and its own properties in each of its `anyOf` or `oneOf`. Sets
 * `unsupported` of the scope where that is impossible.
 */
export function combineObjects(schema: JsonObject, scope: Scope): JsonObject {
  return distribute(mergeParts(schema, scope), scope);
}

function mergeParts(schema: JsonObject, scope: Scope): JsonObject {
  const { $ref, allOf, ...own } = schema;
  if ($ref === undefined && !Array.isArray(allOf)) return schema;
  const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
  const whole = { ...own, allOf: $ref === undefined ? parts : [{ $ref }, ...parts] };
  const unfollowed = mergeAllOf(whole);
  const { allOf: left = [], type, ...keywords } = unfollowed as JsonObject & { allOf?: readonly unknown[] };
  const [reference] = left;
  if (left.length === 1 && isReference(reference) && !ABOUT_OBJECTS.some((keyword) => keyword in keywords)) {
    const { $ref: only } = reference;
    if (type === undefined) return { ...keywords, $ref: only };
    if (!includesObject(type)) return { ...keywords, type, $ref: only };
    // Beside the reference to an object, which is closed, its type would be another closed object.
    const target = resolveReference(only, scope.root);
    if (!isJsonObject(target) || target.type === "object") return { ...keywords, $ref: only };
  }
  const merged = left.some(isReference) ? mergeAllOf(whole, followIn(scope)) : unfollowed;
  if (hasObjects(merged.allOf)) reject(scope, scope.keywordOf.get(schema) ?? "allOf");
  return merged;
}

function isReference(part: unknown): part is { readonly $ref: string } {
  return isJsonObject(part) && typeof part.$ref === "string";
}

function followIn(scope: Scope): FollowReference {
  return (reference, merge) => {
    const target = resolveReference(reference, scope.root);
    if (!isJsonObject(target) || isExactNumber(target) || scope.depth >= DEPTH_MAX) return false;
    if (!takeCharacters(scope, () => JSON.stringify(target).length)) return false;
    scope.depth += REFERENCE_DEPTH;
    // Definitions are found from the root.
    merge(Object.fromEntries(Object.entries(target).filter(([keyword]) => !/^(\$defs|definitions)$/.test(keyword))));
    scope.depth -= REFERENCE_DEPTH;
    return true;
  };
}

/** Whether so many characters may be copied. Once they may not, they are not counted either. */
function takeCharacters({ copying }: Scope, count: () => number): boolean {
  if (copying.charactersLeft > 0) copying.charactersLeft -= count();
  return copying.charactersLeft > 0;
}

function distribute(schema: JsonObject, scope: Scope): JsonObject {
  const [name, other] = Object.keys(schema).filter(
    (key) => (key === "anyOf" || key === "oneOf") && Array.isArray(schema[key]),
  );
  if (name === undefined) return schema;
  if (other !== undefined && hasObjects(schema[other])) reject(scope, other);
  const { type, properties, required, additionalProperties, [name]: choices, ...outer } = schema;
  const isObject = includesObject(type) || (type === undefined && (isJsonObject(properties) || required !== undefined));
  const possible = (choices as readonly unknown[]).filter((choice) => choice !== false && !excludes(type, choice));
  if (!isObject || possible.length === 0 || !possible.some((choice) => saysMore(choice, properties))) return schema;
  const rules = { properties, required, additionalProperties };
  const own = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
  if (Object.keys(own).length > 0 && !takeCharacters(scope, () => JSON.stringify(own).length * possible.length)) {
    reject(scope, name);
    return schema;
  }
  const shared = type === undefined ? own : { type, ...own };
  const choose = (choice: unknown): JsonObject => {
    const chosen = { ...shared, allOf: [choice] };
    scope.keywordOf.set(chosen, name);
    return chosen;
  };
  return { ...outer, [name]: possible.map(choose) };
}

/** Whether no value of the type is one of the schema's. */
function excludes(type: unknown, schema: unknown): boolean {
  return isJsonObject(schema) && "type" in schema && commonTypes(type, schema.type)?.length === 0;
}

/**
 * Whether the wire would close a schema or one within it, or the schema requires names that are not among these
 * properties.
 */
function saysMore(schema: unknown, properties: unknown): boolean {
  if (!isJsonObject(schema)) return false;
  if (includesObject(schema.type) || COMPOUND.some((keyword) => keyword in schema)) return true;
  return requiresOthers(schema.required, isJsonObject(properties) ? properties : {});
}

function hasObjects(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasObjects);
  if (!isJsonObject(schema) || isExactNumber(schema)) return false;
  if (includesObject(schema.type) || "properties" in schema || "$ref" in schema) return true;
  return [schema.items, schema.anyOf, schema.oneOf, schema.allOf].some(hasObjects);
}

function reject(scope: Scope, keyword: string): void {
  scope.unsupported ??= { keyword, kind: scope.copying.charactersLeft > 0 ? "combination" : "size" };
}
