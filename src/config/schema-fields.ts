// Building blocks of the schema of turngate.yaml. A description begins with what is allowed, so the bounds and keys in it are derived.
import Type, { type TNumberOptions, type TProperties } from "typebox";

/** Rejects keys that the schema does not name. */
export const closed = { additionalProperties: false } as const;

/** A group of keys, which its description lists. */
export function section<Fields extends TProperties>(what: string, fields: Fields) {
  const names = Object.keys(fields);
  const description = `${what}: ${names.length === 1 ? "key" : "keys"} ${names.join(", ")}`;
  return Type.Object(fields, { ...closed, description });
}

export const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const flag = (description: string, byDefault?: boolean) =>
  Type.Optional(Type.Boolean({ ...defaultTo(byDefault), description: `true or false: ${description}` }));

/** A number; `kind` says what it counts. */
export const number = (kind: string, bounds: TNumberOptions, description: string) =>
  Type.Optional(Type.Number({ ...bounds, description: `${describeBounds(kind, bounds)}: ${description}` }));

export const integer = (kind: string, bounds: TNumberOptions, description: string) =>
  Type.Integer({ ...bounds, description: `${describeBounds(kind, bounds)}: ${description}` });

export const seconds = (description: string, byDefault?: number) =>
  number("a number of seconds", { exclusiveMinimum: 0, maximum: 604_800, ...defaultTo(byDefault) }, description);

export const count = (minimum: number, description: string, byDefault: number) =>
  Type.Optional(integer("a whole number", { minimum, maximum: 1_000_000_000, default: byDefault }, description));

export const port = (variable: string, byDefault: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: byDefault,
      description: `a whole number from 0 (any free port) to 65535; overridden by ${variable}`,
    }),
  );

function defaultTo<Value>(byDefault: Value | undefined): { default?: Value } {
  return byDefault === undefined ? {} : { default: byDefault };
}

function describeBounds(kind: string, { minimum, exclusiveMinimum, maximum }: TNumberOptions): string {
  const least = exclusiveMinimum === undefined ? `, ${minimum} or more` : ` above ${exclusiveMinimum}`;
  return `${kind}${least}, at most ${maximum}`;
}
