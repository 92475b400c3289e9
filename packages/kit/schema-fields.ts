// Building blocks of the schema of turngate.yaml. A description begins with what is allowed, so the bounds and keys in it are derived.
import Type, { type Static, type TNumberOptions, type TObject, type TProperties, type TSchema } from "typebox";

/** Rejects keys that the schema does not name. */
export const closed = { additionalProperties: false } as const;

/** A group of keys, which its description lists. */
export function section<Fields extends TProperties>(what: string, fields: Fields) {
  const names = Object.keys(fields);
  const description = `${what}: ${names.length === 1 ? "key" : "keys"} ${names.join(", ")}`;
  return Type.Object(fields, { ...closed, description });
}

/** The defaults of some keys, in groups as the keys are. */
type Defaults<Value> = { readonly [Key in keyof Value]?: Defaults<Value[Key]> };

/** Adds defaults to a schema that was made for it, and returns it. */
export function withDefaults<Schema extends TObject>(defaults: Defaults<Static<Schema>>, schema: Schema): Schema {
  for (const [key, byDefault] of Object.entries(defaults)) {
    const field = schema.properties[key] as TSchema;
    if (Type.IsObject(field)) withDefaults(byDefault as object, field);
    else Object.assign(field, { default: byDefault });
  }
  return schema;
}

export const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description: `true or false: ${description}` }));

/** A number; `kind` says what it counts. */
export const number = (kind: string, bounds: TNumberOptions, description: string) =>
  Type.Optional(Type.Number({ ...bounds, description: `${describeBounds(kind, bounds)}: ${description}` }));

export const integer = (kind: string, bounds: TNumberOptions, description: string) =>
  Type.Integer({ ...bounds, description: `${describeBounds(kind, bounds)}: ${description}` });

export const seconds = (description: string) =>
  number("a number of seconds", { exclusiveMinimum: 0, maximum: 604_800 }, description);

export const count = (minimum: number, description: string) =>
  Type.Optional(integer("a whole number", { minimum, maximum: 1_000_000_000 }, description));

export const headers = (receiver: string) =>
  Type.Optional(
    Type.Record(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
      Type.String({
        minLength: 1,
        description: "a string, the value of the header; ${NAME} inserts an environment variable",
      }),
      { ...closed, description: `headers by name, sent with every request to ${receiver}` },
    ),
  );

export const port = (variable: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: `a whole number from 0 (any free port) to 65535; overridden by ${variable}`,
    }),
  );

function describeBounds(kind: string, { minimum, exclusiveMinimum, maximum }: TNumberOptions): string {
  const least = exclusiveMinimum === undefined ? `, ${minimum} or more` : ` above ${exclusiveMinimum}`;
  return `${kind}${least}, at most ${maximum}`;
}
