// Checks a body against its shape in the contract; an error names the first wrong field and the allowed values.
import { Check } from "typebox/schema";
import { explain } from "../../../packages/kit/explain.ts";
import { invalidInput, type ApiError } from "../../contract/errors.ts";
import { readJsonBody } from "../../core/reading/json-body.ts";
import type { BodyRule } from "./operation.ts";

/** Parses and checks a body. Throws 400 `invalid_input` naming the unknown, missing or invalid field. */
export function readManageBody(bytes: Uint8Array, { shape, presence }: BodyRule): object {
  const body = readJsonBody(bytes, presence);
  if (Check(shape, body)) return body;
  throw bodyError(shape, body);
}

/** The rule of an operation without a body: programs that send `{}` are right too. */
export const NO_BODY: BodyRule = {
  name: "NoBody",
  shape: { type: "object", properties: {}, additionalProperties: false },
  presence: "optional",
};

/** The schema keywords that the shapes use. */
export interface Shape {
  readonly type?: string;
  readonly format?: string;
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

function bodyError(shape: Shape, body: object): ApiError {
  const faults = explain(shape, body);
  const fault = KINDS.map((kind) => faults.find((each) => each.kind === kind)).find((each) => each !== undefined);
  const name = String(fault?.path[0] ?? "").slice(0, 64);
  const properties = shape.properties ?? {};
  switch (fault?.kind) {
    case "unknown": {
      const known = Object.keys(properties).join(", ") || "none";
      return invalidInput(name, `There is no field ${JSON.stringify(name)}; allowed: ${known}.`);
    }
    case "missing": {
      const [missing = ""] = fault.names;
      return invalidInput(missing, `${missing} is missing: ${allowed(properties[missing] ?? {})}.`);
    }
    default:
      return invalidInput(name, `${name} must be ${allowed(properties[name] ?? {})}.`);
  }
}

/** The order in which faults are reported. */
const KINDS = ["unknown", "missing", "wrong"] as const;

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
