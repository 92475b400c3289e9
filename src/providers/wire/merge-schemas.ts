// Merges the parts of an `allOf` into the schema that holds them, for wires that take an object only with all of its
// properties in one place.
import { isDeepStrictEqual } from "node:util";
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";

/** Passes what a reference refers to, if it may be merged, to `merge`; false: the reference stays. */
export type FollowReference = (reference: string, merge: (target: JsonObject) => void) => boolean;

/** Keywords whose meaning depends on one another. They are taken from a part together, or left in it together. */
const GROUPS: readonly (readonly string[])[] = [
  ["properties", "additionalProperties", "patternProperties", "unevaluatedProperties"],
  ["items", "prefixItems", "additionalItems", "unevaluatedItems"],
  ["contains", "minContains", "maxContains"],
  ["if", "then", "else"],
];
const GROUP_OF: ReadonlyMap<string, readonly string[]> = new Map(
  GROUPS.flatMap((group) => group.map((keyword) => [keyword, group])),
);
/** With one of these the meaning of `unevaluatedProperties` depends on more than the properties beside it. */
const EVALUATING = ["anyOf", "oneOf", "if", "$ref", "$dynamicRef", "dependentSchemas", "allOf"];
/** JSON Schema's types. */
const TYPES: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** The depth to which values are compared. */
const COMPARED_DEPTH = 8;
/** Keywords that constrain nothing: those of the outer schema stand. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "title default examples deprecated readOnly writeOnly $comment $schema $id $anchor propertyOrdering".split(" "),
);

/**
 * The schema with the parts of its `allOf`, and of theirs, merged into it: the same constraints, and the descriptions
 * one below the other. What cannot be merged stays in `allOf`: references that are not followed, and keywords that are
 * there already with another value. Nothing is merged if a closed object would lose properties that another part names.
 */
export function mergeAllOf(schema: JsonObject, follow: FollowReference = () => false): JsonObject {
  const { allOf, unevaluatedProperties, unevaluatedItems, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  const merging = new Merging(follow);
  const { $ref, ...rest } = own;
  merging.add({ ...rest, allOf });
  if (merging.isImpossible) return schema;
  // These also see what the parts name.
  const unevaluated = Object.entries({ $ref, unevaluatedProperties, unevaluatedItems });
  return { ...merging.whole(), ...Object.fromEntries(unevaluated.filter(([, value]) => value !== undefined)) };
}

/** The types that both values of `type` allow; null if one of them is no such value. */
export function commonTypes(one: unknown, other: unknown): readonly string[] | null {
  const [types, others] = [typesOf(one), typesOf(other)];
  if (types === null || others === null) return null;
  const isIn = (list: readonly string[]) => (type: string) =>
    list.includes(type) || (type === "integer" && list.includes("number"));
  return [...new Set([...types.filter(isIn(others)), ...others.filter(isIn(types))])];
}

function typesOf(type: unknown): readonly string[] | null {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  // A longer list repeats some. It may have any length.
  return types.length <= TYPES.length && types.every(isType) ? types : null;
}

function isType(type: unknown): type is string {
  return TYPES.includes(type);
}

/**
 * Whether two values are equal. Values that are nested more deeply count as different: the schemas of a property are
 * compared at each level around them again.
 */
function isSame(one: unknown, other: unknown, depth = COMPARED_DEPTH): boolean {
  if (one === other) return true;
  if (!isNested(one) || !isNested(other)) return isDeepStrictEqual(one, other);
  if (depth === 0 || Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key], depth - 1))
  );
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !isExactNumber(value);
}

function isSchema(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isExactNumber(value);
}

/** Schemas as they are merged. Lists and maps grow in place: a client may send a hundred thousand parts. */
class Merging {
  /** What stays in `allOf`. */
  readonly left: unknown[] = [];
  readonly #follow: FollowReference;
  readonly #keywords = new Map<string, unknown>();
  readonly #descriptions = new Set<string>();
  readonly #definitions = new Map<string, Map<string, unknown>>();
  #required: Set<unknown> | null = null;
  /** The first schema of each property. */
  #properties: Map<string, unknown> | null = null;
  /** All schemas of those properties that have several. */
  readonly #several = new Map<string, unknown[]>();
  #items: unknown[] = [];
  #isImpossible = false;

  constructor(follow: FollowReference) {
    this.#follow = follow;
  }

  /** Whether a closed object would lose properties that another part names. */
  get isImpossible(): boolean {
    return this.#isImpossible;
  }

  /** Adds a schema with the parts of its `allOf`. */
  add(schema: JsonObject): void {
    if (this.#isImpossible) return;
    const { allOf, unevaluatedProperties, unevaluatedItems, ...own } = schema;
    if (!Array.isArray(allOf)) {
      this.#addOwn(schema);
      return;
    }
    const hasNames = this.#properties !== null || this.#keywords.has("properties");
    this.#addOwn(own);
    for (const part of allOf as readonly unknown[]) {
      if (isSchema(part)) this.add(part);
      else if (part !== true) this.left.push(part);
    }
    if (unevaluatedProperties !== undefined || unevaluatedItems !== undefined) {
      this.#addUnevaluated(unevaluatedProperties, unevaluatedItems, hasNames);
    }
  }

  /** What a schema says about other properties and items than those of its parts. */
  #addUnevaluated(properties: unknown, items: unknown, hasNames: boolean): void {
    // They might depend on what another schema says.
    const isAlone = !hasNames && this.left.length === 0 && !EVALUATING.some((keyword) => this.#keywords.has(keyword));
    const others = this.#keywords.get("additionalProperties") ?? false;
    const isListed = items === undefined && typeof properties === "boolean" && others === false;
    if (!isListed || !isAlone) this.#isImpossible = true;
    else if (!properties) this.#keywords.set("additionalProperties", false);
  }

  #addOwn(schema: JsonObject): void {
    if ("unevaluatedProperties" in schema && EVALUATING.some((keyword) => keyword in schema)) {
      this.left.push(schema);
      return;
    }
    const groups = new Map<readonly string[], Record<string, unknown>>();
    const { required, ...others } = schema;
    for (const [keyword, value] of Object.entries(others)) {
      const group = GROUP_OF.get(keyword);
      if (group === undefined) this.#addKeyword(keyword, value);
      else groups.set(group, Object.assign(groups.get(group) ?? {}, { [keyword]: value }));
    }
    let areNamed = true;
    for (const [group, values] of groups) {
      if (this.#addGroup(group, values)) continue;
      if (group.includes("properties")) areNamed = false;
      this.left.push(group.includes("properties") && required !== undefined ? { ...values, required } : values);
    }
    // Names are required where they are.
    if (areNamed && required !== undefined) this.#addKeyword("required", required);
  }

  /** The merged schema. */
  whole(): JsonObject {
    const schema = new Map(this.#keywords);
    if (this.#descriptions.size > 0) schema.set("description", [...this.#descriptions].join("\n\n"));
    for (const [keyword, definitions] of this.#definitions) schema.set(keyword, Object.fromEntries(definitions));
    if (this.#properties !== null) {
      const properties = new Map(this.#properties);
      for (const [name, schemas] of this.#several) properties.set(name, { allOf: schemas });
      schema.set("properties", Object.fromEntries(properties));
    }
    if (this.#items.length > 0) schema.set("items", this.#items.length === 1 ? this.#items[0] : { allOf: this.#items });
    if (this.#required !== null) schema.set("required", [...this.#required]);
    if (this.left.length > 0) schema.set("allOf", this.left);
    return Object.fromEntries(schema);
  }

  #addKeyword(keyword: string, value: unknown): void {
    if (keyword === "allOf") {
      for (const part of Array.isArray(value) ? value : [{ allOf: value }]) this.left.push(part);
    } else if (keyword === "$ref" && typeof value === "string") {
      const isFollowed = this.#follow(value, (target) => this.add(target));
      if (!isFollowed) this.left.push({ $ref: value });
    } else if (keyword === "description" && typeof value === "string") {
      if (value !== "") this.#descriptions.add(value);
    } else if ((keyword === "$defs" || keyword === "definitions") && isJsonObject(value)) {
      const definitions = this.#definitions.get(keyword) ?? new Map<string, unknown>();
      this.#definitions.set(keyword, definitions);
      for (const [name, one] of Object.entries(value)) if (!definitions.has(name)) definitions.set(name, one);
    } else if (keyword === "required" && Array.isArray(value)) {
      this.#required ??= new Set();
      for (const name of value) this.#required.add(name);
    } else if (!this.#keywords.has(keyword)) {
      this.#keywords.set(keyword, value);
    } else if (!ANNOTATIONS.has(keyword) && !keyword.startsWith("x-")) {
      this.#addAgain(keyword, value);
    }
  }

  #addAgain(keyword: string, value: unknown): void {
    const present = this.#keywords.get(keyword);
    if (isSame(present, value)) return;
    const types = keyword === "type" ? commonTypes(present, value) : null;
    if (types === null || types.length === 0) this.left.push({ [keyword]: value });
    else this.#keywords.set("type", types.length === 1 ? types[0] : types);
  }

  /** False if the group cannot be merged with what is there. */
  #addGroup(group: readonly string[], values: JsonObject): boolean {
    const isOfProperties = group.includes("properties");
    if (isOfProperties && isListOfProperties(values)) return this.#addProperties(values);
    if (isOfProperties && this.#properties !== null) return false;
    const [only, another] = Object.keys(values);
    if (only === "items" && another === undefined && !Array.isArray(values.items)) return this.#addItems(values.items);
    if (group.includes("items") && this.#items.length > 0) return false;
    if (group.some((keyword) => this.#keywords.has(keyword))) {
      return group.every((keyword) => isSame(this.#keywords.get(keyword), values[keyword]));
    }
    for (const [keyword, value] of Object.entries(values)) this.#keywords.set(keyword, value);
    return true;
  }

  #addItems(items: unknown): boolean {
    if (this.#keywords.has("prefixItems") || this.#keywords.has("items")) return false;
    if (this.#items.length === 0 || !isSame(this.#items[0], items)) this.#items.push(items);
    return true;
  }

  /** Properties of objects that are open or closed: a closed one forbids those that it does not name. */
  #addProperties(values: JsonObject): boolean {
    const rules = GROUP_OF.get("properties")?.map((keyword) => [keyword, this.#keywords.get(keyword)]) ?? [];
    if (!isListOfProperties(Object.fromEntries(rules))) return false;
    const added = isJsonObject(values.properties) ? values.properties : {};
    const isClosed = values.additionalProperties === false || values.unevaluatedProperties === false;
    const wasClosed = this.#keywords.get("additionalProperties") === false;
    const properties = this.#properties ?? new Map<string, unknown>();
    if (isClosed && [...properties.keys()].some((name) => !Object.hasOwn(added, name))) this.#isImpossible = true;
    for (const name of Object.keys(added)) {
      if (properties.has(name)) this.#addAnother(name, properties.get(name), added[name]);
      else if (wasClosed) this.#isImpossible = true;
      else properties.set(name, added[name]);
    }
    if ("properties" in values || this.#properties !== null) this.#properties = properties;
    if (isClosed || wasClosed) this.#keywords.set("additionalProperties", false);
    else if (values.additionalProperties === true) this.#keywords.set("additionalProperties", true);
    return true;
  }

  #addAnother(name: string, first: unknown, schema: unknown): void {
    if (isSame(first, schema)) return;
    const schemas = this.#several.get(name) ?? [first];
    schemas.push(schema);
    this.#several.set(name, schemas);
  }
}

/** Whether nothing but names, and whether there may be others, is said about properties. */
function isListOfProperties(values: JsonObject): boolean {
  const { properties, additionalProperties, patternProperties, unevaluatedProperties } = values;
  return (
    (properties === undefined || isJsonObject(properties)) &&
    [undefined, true, false].includes(additionalProperties as undefined) &&
    patternProperties === undefined &&
    [undefined, true, false].includes(unevaluatedProperties as undefined)
  );
}
