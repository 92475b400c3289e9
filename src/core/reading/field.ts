// Reads one field against its shape in the contract. Both the check and the error message follow from the shape, which
// is the one that the OpenAPI document publishes.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { countCharacters } from "../../contract/characters.ts";
import { type ApiError, invalidInput } from "../../contract/errors.ts";
import { CREATE_RESPONSE_FIELDS, type CreateResponseField } from "../../contract/requests.ts";
import { describe } from "./json-value.ts";

/** The keywords that the shape of a plain field may use. */
interface PlainShape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** The fields of a create whose shape says everything about them. */
export type PlainField = Exclude<
  keyof typeof CREATE_RESPONSE_FIELDS,
  "conversation" | "include" | "input" | "metadata" | "stream_options" | "text" | "tool_choice" | "tools"
>;

/** Whether a field has a value. Null counts as absent, because clients send it (docs/wire.md, Objects). */
export function isSent(value: unknown): value is NonNullable<unknown> {
  return value !== undefined && value !== null;
}

/** Reads a plain field of a create, as `readField` does. */
export function readCreateField<Name extends PlainField>(
  body: JsonObject,
  name: Name,
): CreateResponseField<Name> | null {
  return readField<CreateResponseField<Name>>(name, body[name], CREATE_RESPONSE_FIELDS[name]);
}

/**
 * Returns a plain field's value, or null when it is absent. Throws 400 `invalid_input` saying what was sent and what is
 * allowed. `path` names the field in the message, and its first segment is the `param`.
 */
export function readField<T>(path: string, value: unknown, shape: object): T | null {
  const fault = faultOf(path, value, shape);
  if (fault !== null) throw fault("");
  return isSent(value) ? (value as T) : null;
}

/** An error about a field; `forWhom` is appended to what is allowed, such as ` for the model m`. */
export type Fault = (forWhom: string) => ApiError;

/** What is wrong with the value of a plain field; null: nothing, or it is absent. `path` as for `readField`. */
export function faultOf(path: string, value: unknown, shape: object): Fault | null {
  const plain: PlainShape = shape;
  if (!isSent(value) || allows(plain, value)) return null;
  const [allowed, sent] = isTooLarge(plain, value)
    ? [`${path} is too large: it must be an integer of at most ${Number.MAX_SAFE_INTEGER}`, ""]
    : [`${path} must be ${describeShape(plain)}`, `, not ${describeValue(plain, value)}`];
  return (forWhom) => invalidInput(paramOf(path), `${allowed}${forWhom}${sent}.`);
}

/**
 * Whether an unbounded integer exceeds what a double holds exactly: it was rounded, so the message cannot repeat it.
 */
function isTooLarge({ type, maximum }: PlainShape, value: unknown): boolean {
  return type === "integer" && maximum === undefined && typeof value === "number" && value > Number.MAX_SAFE_INTEGER;
}

/** The top-level field of a path such as `text.format.schema` or `tools[2].name`. */
export function paramOf(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? path;
}

function allows(shape: PlainShape, value: unknown): boolean {
  if (shape.enum !== undefined) return shape.enum.includes(value);
  if (shape.const !== undefined) return value === shape.const;
  switch (shape.type) {
    case "string":
      return (
        typeof value === "string" &&
        value.length >= (shape.minLength ?? 0) &&
        (shape.maxLength === undefined || countCharacters(value) <= shape.maxLength)
      );
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && inRange(shape, value as number);
    case "number":
      return typeof value === "number" && Number.isFinite(value) && inRange(shape, value);
    case "object":
      return isJsonObject(value);
    case "array":
      return Array.isArray(value);
    default:
      throw new Error(`a plain field has no shape of type ${String(shape.type)}`);
  }
}

function inRange(shape: PlainShape, value: number): boolean {
  return value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity);
}

function describeShape(shape: PlainShape): string {
  if (shape.enum !== undefined) return `one of ${shape.enum.join(", ")}`;
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  switch (shape.type) {
    case "string":
      if (shape.maxLength !== undefined) return `a string of at most ${shape.maxLength} characters`;
      return (shape.minLength ?? 0) > 0 ? "a string that is not empty" : "a string";
    case "integer":
    case "number": {
      const noun = shape.type === "integer" ? "an integer" : "a number";
      if (shape.minimum !== undefined && shape.maximum !== undefined) {
        return `${noun} from ${shape.minimum} to ${shape.maximum}`;
      }
      return shape.minimum === undefined ? noun : `${noun} of at least ${shape.minimum}`;
    }
    case "boolean":
      return "true or false";
    default:
      return shape.type === "array" ? "an array" : "an object";
  }
}

function describeValue(shape: PlainShape, value: unknown): string {
  if (shape.maxLength !== undefined && typeof value === "string") return `one of ${countCharacters(value)}`;
  return describe(value);
}
