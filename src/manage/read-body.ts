// Checks a body against its shape in the contract; an error names the first wrong field and the allowed values.
import { Check } from "typebox/schema";
import { invalidInput, type ApiError } from "../contract/errors.ts";
import { readJsonBody } from "../core/reading/json-body.ts";
import type { BodyRule } from "./operation.ts";

/** Parses and checks a body. Throws 400 `invalid_input` naming the unknown, missing or invalid field. */
export function readManageBody(bytes: Uint8Array, { shape, presence }: BodyRule): object {
  const body = readJsonBody(bytes, presence);
  if (Check(shape, body)) return body;
  throw bodyError(shape, body);
}

/** The schema keywords that the shapes use. */
export interface Shape {
  readonly type?: string;
  readonly default?: unknown;
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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

function bodyError(shape: Shape, body: Readonly<Record<string, unknown>>): ApiError {
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
  const wrong = Object.keys(body).find((name) => !Check(properties[name] as object, body[name])) ?? null;
  if (wrong === null) return invalidInput(null, "The request body is invalid.");
  return invalidInput(wrong, `${wrong} must be ${allowed(properties[wrong] ?? {})}.`);
}

/** Describes the values that a shape allows. */
export function allowed(shape: Shape): string {
  if (shape.enum !== undefined) return `one of ${shape.enum.join(", ")}`;
  if (shape.anyOf !== undefined) return shape.anyOf.map(allowed).join(" or ");
  switch (shape.type) {
    case "null":
      return "null";
    case "boolean":
      return "true or false";
    case "array":
      return `an array of at most ${shape.maxItems} non-empty strings`;
    case "string":
      if (shape.pattern !== undefined) return `a string that matches ${shape.pattern}`;
      if ((shape.minLength ?? 1) > 1) return `a string of ${shape.minLength} to ${shape.maxLength} characters`;
      return `a non-empty string of at most ${shape.maxLength} characters`;
    default: {
      const kind = shape.type === "integer" ? "a whole number" : "a number";
      const from = shape.exclusiveMinimum === undefined ? `from ${shape.minimum}` : `above ${shape.exclusiveMinimum}`;
      return `${kind} ${from} to ${shape.maximum}`;
    }
  }
}
