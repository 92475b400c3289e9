// Holds a body against its shape in the contract; what is wrong with it first is told with its field and what is allowed.
import { Errors } from "typebox/value";
import { invalidInput, type Refusal } from "../contract/errors.ts";
import type { BodyRule } from "../contract/manage/bodies.ts";
import { readJsonBody } from "../core/reading/json-body.ts";

/** The body that the bytes hold; refuses 400 `invalid_input` naming the field: one that is not known, missing, or not what it may be. */
export function readManageBody(bytes: Uint8Array, { shape, presence }: BodyRule): unknown {
  const body = readJsonBody(bytes, presence);
  const [first] = Errors(shape, body);
  if (first === undefined) return body;
  throw refuse(shape, body);
}

/** The keywords that the shapes of bodies use. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly description?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

function refuse(shape: Shape, body: Readonly<Record<string, unknown>>): Refusal {
  const properties = shape.properties ?? {};
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, 64));
    return invalidInput(
      unknown.slice(0, 64),
      `There is no field ${shown}; allowed: ${Object.keys(properties).join(", ")}.`,
    );
  }
  const missing = shape.required?.find((name) => !Object.hasOwn(body, name));
  if (missing !== undefined)
    return invalidInput(missing, `${missing} is missing: ${allowed(properties[missing] ?? {})}.`);
  const wrong =
    Object.keys(body).find((name) => [...Errors(properties[name] as object, body[name])].length > 0) ?? null;
  if (wrong === null) return invalidInput(null, "The body is not what it may be.");
  return invalidInput(wrong, `${wrong} must be ${allowed(properties[wrong] ?? {})}.`);
}

/** What a shape allows, in words. */
function allowed(shape: Shape): string {
  if (shape.enum !== undefined) return `one of ${shape.enum.join(", ")}`;
  if (shape.anyOf !== undefined) return shape.anyOf.map(allowed).join(" or ");
  switch (shape.type) {
    case "null":
      return "null";
    case "array":
      return `a list of at most ${shape.maxItems} texts that are not empty`;
    case "string":
      if (shape.pattern !== undefined) return `a text that matches ${shape.pattern}`;
      return `a text that is not empty, of at most ${shape.maxLength} characters`;
    default: {
      const kind = shape.type === "integer" ? "a whole number" : "a number";
      const from = shape.exclusiveMinimum === undefined ? `from ${shape.minimum}` : `above ${shape.exclusiveMinimum}`;
      return `${kind} ${from} to ${shape.maximum}`;
    }
  }
}
