// What JSON allows and a request may not contain: U+0000 anywhere; in the parts that are read also half a surrogate pair, great
// depth and endless numbers. @spec errors; docs/wire.md (Objects)
import { isExactNumber } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { type ApiError, invalidInput } from "../../contract/errors.ts";
import { JSON_DEPTH_MAX, JSON_NUMBER_CHARACTERS_MAX } from "../../contract/limits.ts";
import { isSent } from "./field.ts";
import { shorten } from "./json-value.ts";

/** The keywords of a contract's shape that say which members are read: those that it names. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly required?: readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** The shape of a value that is read with everything inside. */
export const ANY_VALUE: object = {};

/** Levels that a path names; deeper ones are cut. */
const LEVELS_NAMED = 16;

/** A value of the body. */
interface Place {
  readonly value: unknown;
  /** The shapes that it may have; none if it is not read. */
  readonly shapes: readonly Shape[];
  readonly parent: Place | null;
  readonly key: string | number;
  readonly depth: number;
}

/**
 * The first U+0000 if the body `hasNul`, else the first fault in the parts that `shape` describes; null: there is none.
 * Needs no stack, however deep the body is.
 */
export function findBodyFault(body: JsonObject, shape: object, hasNul: boolean): ApiError | null {
  let fault: ApiError | null = null;
  const open: Place[] = [{ value: body, shapes: alternatives(shape), parent: null, key: "", depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, shapes, depth } = place;
    const isRead = shapes.length > 0;
    if (typeof value === "string") {
      if (hasNul && value.includes("\u0000")) return characterError("the character U+0000", place);
      if (isRead && !value.isWellFormed()) fault ??= characterError("half a surrogate pair", place);
    } else if (isExactNumber(value)) {
      if (value.rawJSON.length > JSON_NUMBER_CHARACTERS_MAX)
        fault ??= fieldError(place, `holds a number of more than ${JSON_NUMBER_CHARACTERS_MAX} characters`);
    } else if (typeof value === "object" && value !== null) {
      const isWhole = shapes.some(isReadWhole);
      if (isWhole && depth > JSON_DEPTH_MAX)
        fault ??= fieldError(place, `is nested deeper than ${JSON_DEPTH_MAX} levels`);
      for (const child of childrenOf(place).toReversed()) {
        if (typeof child.key === "string") {
          if (hasNul && child.key.includes("\u0000")) return characterError("the character U+0000", child, true);
          if (isWhole && !child.key.isWellFormed()) fault ??= characterError("half a surrogate pair", child, true);
        }
        if (hasNul || child.shapes.length > 0) open.push(child);
      }
    }
  }
  return fault;
}

function childrenOf(parent: Place): Place[] {
  const { value, shapes } = parent;
  const depth = parent.depth + 1;
  const isWhole = shapes.some(isReadWhole);
  if (Array.isArray(value)) {
    const inner = isWhole
      ? [ANY_VALUE]
      : shapes.flatMap(({ items }) => (items === undefined ? [] : alternatives(items)));
    return value.map((child: unknown, key) => ({ value: child, shapes: shapesOf(child, inner), parent, key, depth }));
  }
  return Object.entries(value as JsonObject).map(([key, child]) => {
    const inner = isWhole ? [ANY_VALUE] : shapes.flatMap(({ properties }) => memberOf(properties, key));
    return { value: child, shapes: shapesOf(child, inner), parent, key, depth };
  });
}

function memberOf(properties: Shape["properties"], key: string): readonly Shape[] {
  const member = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return member === undefined ? [] : alternatives(member);
}

function alternatives(shape: Shape): readonly Shape[] {
  return shape.anyOf?.flatMap(alternatives) ?? [shape];
}

/** Of the shapes of a place, those that its value is read by: an object's `type`, or its members, say which. */
function shapesOf(value: unknown, shapes: readonly Shape[]): readonly Shape[] {
  if (shapes.length < 2 || !isJsonObject(value)) return shapes;
  const possible = shapes.filter((shape) => mayBe(shape, value));
  const whole = possible.find(({ required = [] }) => required.every((key) => isSent(value[key])));
  return whole === undefined ? possible : [whole];
}

function mayBe({ type: kind, properties }: Shape, { type }: JsonObject): boolean {
  if (kind !== undefined && kind !== "object") return false;
  const types = properties?.["type"];
  if (types === undefined || !isSent(type)) return true;
  return alternatives(types).some((allowed) => {
    if (allowed.enum !== undefined) return allowed.enum.includes(type);
    return allowed.const === undefined ? allowed.type === "string" : allowed.const === type;
  });
}

/** Whether it is an object without named members, such as metadata or a JSON schema, or a value of any type. */
function isReadWhole({ type, properties, items }: Shape): boolean {
  return properties === undefined && items === undefined && (type === "object" || type === undefined);
}

function characterError(character: string, place: Place, isKey = false): ApiError {
  const name = isKey && place.parent?.parent != null ? `A key of ${pathOf(place.parent)}` : pathOf(place);
  return invalidInput(fieldOf(place), `${name} contains ${character}, which no string of a request may contain.`);
}

function fieldError(place: Place, problem: string): ApiError {
  const field = fieldOf(place);
  return invalidInput(field, `${field} ${problem}.`);
}

/** The top-level field that the place is in. */
function fieldOf(place: Place): string {
  let field = place;
  while (field.parent?.parent != null) field = field.parent;
  return shown(String(field.key));
}

/** A path such as `tools[2].parameters`. */
function pathOf(place: Place): string {
  const named: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) {
    if (at.depth <= LEVELS_NAMED + 1) named.push(typeof at.key === "number" ? `[${at.key}]` : `.${shown(at.key)}`);
  }
  return named.toReversed().join("").slice(1) + (place.depth > LEVELS_NAMED + 1 ? "…" : "");
}

/** A key for a message: shortened, with U+0000 escaped and half a surrogate pair replaced. */
function shown(key: string): string {
  return shorten(key).replaceAll("\u0000", "\\u0000").toWellFormed();
}
