// Schemas put together from parts (allOf, anyOf, references), and values to check with them.
import Schema from "typebox/schema";
import fc from "./fast-check.ts";

const NAMES = ["a", "b", "c"] as const;
const REFERENCES = ["#/$defs/a", "#/$defs/b", "#/definitions/a", "#/definitions/c"] as const;
const DEFINITIONS = {
  $defs: {
    a: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    b: { properties: { b: { type: "null" } }, description: "B" },
  },
  definitions: {
    a: { type: "string" },
    c: { type: "object", properties: { c: { $ref: "#/$defs/a" } }, allOf: [{ $ref: "#/$defs/b" }] },
  },
};

const reference = fc.record({ $ref: fc.constantFrom(...REFERENCES) });
const described = reference.map((schema) => ({ ...schema, description: "D" }));
const scalar = fc.constantFrom<object>({ type: "string" }, { type: ["string", "integer"] }, { type: "null" }, {});
/** A value in one of `of` cases. */
const rarely = <T>(value: fc.Arbitrary<T>, of: number) =>
  fc.oneof({ arbitrary: value, weight: 1 }, { arbitrary: fc.constant(undefined), weight: of - 1 });

/** Objects, mostly: what has to hold at once must be possible. */
const inner = fc.letrec<{ whole: object; property: object; part: object }>((tie) => ({
  property: fc.oneof({ maxDepth: 2, withCrossShrink: true }, scalar, reference, described, tie("whole")),
  part: fc.oneof({ maxDepth: 2, withCrossShrink: true }, reference, described, { arbitrary: tie("whole"), weight: 3 }),
  whole: fc
    .record({
      type: rarely(fc.constantFrom<unknown>("object", ["object", "null"]), 2),
      properties: rarely(fc.dictionary(fc.constantFrom(...NAMES), tie("property"), { minKeys: 1, maxKeys: 2 }), 2),
      required: rarely(fc.tuple(fc.constantFrom(...NAMES)), 3),
      additionalProperties: rarely(fc.boolean(), 5),
      allOf: rarely(fc.array(tie("part"), { minLength: 1, maxLength: 2 }), 3),
      anyOf: rarely(fc.array(fc.oneof(tie("part"), scalar), { minLength: 1, maxLength: 3 }), 4),
      $ref: rarely(fc.constantFrom(...REFERENCES), 8),
    })
    .map((schema) => Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))),
})).whole;

/** Arbitrary schemas from keywords that all families send. */
export const schemasOfParts: fc.Arbitrary<Record<string, unknown>> = inner.map((schema) => ({
  ...DEFINITIONS,
  ...schema,
}));

const MEMBERS = [undefined, "x", null, {}, { a: "x" }];

/** Objects with up to three properties, and values of other types. */
export const VALUES: readonly unknown[] = [
  "x",
  1,
  null,
  ...MEMBERS.flatMap((a) => MEMBERS.flatMap((b) => MEMBERS.map((c) => ({ a, b, c })))),
].map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Whether a value is valid. */
export function allows(schema: object, value: unknown): boolean {
  return Schema.Check(schema as Schema.XSchema, value);
}
