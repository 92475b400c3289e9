// Reads one field against its shape in the contract: the check and the sentence of the refusal both come from the shape, which is
// the one that the OpenAPI document publishes. Null is taken for absent: clients send it (docs/wire.md, objects).
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import { describe } from "./json-body.ts";

/** The keywords of a shape that a plain field may use. */
export interface PlainShape<T> {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** What a value of the shape is; a phantom of the schema library. */
  readonly "~shape"?: T;
}

/**
 * A plain field's value, or null when it is absent. `path` is what the message calls it, its first segment is the refusal's `param`.
 * Refuses 400 `invalid_input` what the shape does not allow, saying what came and what is allowed.
 */
export function readField<T>(path: string, value: unknown, shape: object): T | null {
  if (value === undefined || value === null) return null;
  const plain = shape as PlainShape<T>;
  if (!allows(plain, value)) {
    throw invalidInput(paramOf(path), `${path} must be ${sentence(plain)}, not ${describeValue(plain, value)}.`);
  }
  return value as T;
}

/** The top-level field of a path such as `text.format.schema` or `tools[2].name`. */
export function paramOf(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? path;
}

function allows(shape: PlainShape<unknown>, value: unknown): boolean {
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
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    default:
      throw new Error(`a plain field has no shape of type ${String(shape.type)}`);
  }
}

function inRange(shape: PlainShape<unknown>, value: number): boolean {
  return value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity);
}

function sentence(shape: PlainShape<unknown>): string {
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

function describeValue(shape: PlainShape<unknown>, value: unknown): string {
  if (shape.maxLength !== undefined && typeof value === "string") return `one of ${countCharacters(value)}`;
  return describe(value);
}
