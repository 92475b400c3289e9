// Checks a query against the shapes of its parameters in the contract; an error names the first wrong parameter and the
// allowed values.
import { Check } from "typebox/schema";
import { invalidInput } from "../../contract/errors.ts";
import { type Fields, isRequired } from "./operation.ts";
import { allowed, type Shape } from "./read-body.ts";

/**
 * Reads a query: the value or default of each parameter that has one. Throws 400 `invalid_input` naming the unknown, repeated,
 * missing or invalid parameter.
 */
export function readManageQuery(sent: ReadonlyMap<string, readonly string[]>, shapes: Fields): object {
  const known = Object.keys(shapes);
  for (const [name, { length }] of sent) {
    const shown = name.slice(0, 64);
    if (!known.includes(name)) {
      throw invalidInput(
        shown,
        `Unknown query parameter ${JSON.stringify(shown)}; allowed: ${known.join(", ") || "none"}.`,
      );
    }
    if (length > 1) throw invalidInput(shown, `The query parameter ${shown} was sent more than once.`);
  }
  const values = Object.entries<Shape>(shapes).map(
    ([name, shape]) => [name, readValue(name, shape, sent.get(name)?.[0])] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function readValue(name: string, shape: Shape, text: string | undefined): unknown {
  if (text === undefined) {
    if (!isRequired(shape)) return shape.default;
    throw invalidInput(name, `${name} is missing; allowed: ${allowed(shape)}.`);
  }
  const value = readText(shape, text);
  if (value !== null) return value;
  throw invalidInput(name, `${name} is ${JSON.stringify(text.slice(0, 64))}; allowed: ${allowedText(shape)}.`);
}

/** Describes the texts that a shape allows: in words where a pattern decides. */
export function allowedText(shape: Shape): string {
  return (shape.pattern === undefined ? null : shape.description) ?? allowed(shape);
}

/** The value of a shape that a text stands for; null for none. */
export function readText(shape: Shape, text: string): unknown {
  const value = convert(text, shape.type);
  return Check(shape, value) ? value : null;
}

/** The value of a type that a text stands for; of another one, the text itself, which is then invalid. */
function convert(text: string, type: Shape["type"]): unknown {
  if (type === "boolean") return text === "true" || (text === "false" ? false : text);
  const digits = { integer: /^\d+$/, number: /^\d+(?:\.\d+)?$/ }[type ?? ""];
  return digits?.test(text) ? Number(text) : text;
}
