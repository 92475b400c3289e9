// Bodies of the management interface. Unknown fields are rejected, since a mistyped one would change less,
// or more, than intended. The shapes check types; the flows check values.
import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";
import type { ManageOperation } from "./routes.ts";

/** The shape of a body, and whether it may be empty. */
export interface BodyRule<Shape extends TSchema = TSchema> {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: "required" | "optional";
}

function optionalBody<Fields extends TProperties>(name: string, fields: Fields): BodyRule<TObject<Fields>> {
  return { name, shape: Type.Object(fields, { additionalProperties: false }), presence: "optional" };
}

/** The bodies by operation; an operation that is missing here has none. */
export const MANAGE_BODIES = {
  eraseDeleted: optionalBody("EraseBody", {
    older_than_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: "erase content that was deleted at least this many days ago",
      }),
    ),
  }),
} as const satisfies Partial<Record<ManageOperation, BodyRule>>;

/** The type of a checked body; undefined for operations without one. */
export type BodyOf<Operation extends ManageOperation> = Operation extends keyof typeof MANAGE_BODIES
  ? Static<(typeof MANAGE_BODIES)[Operation]["shape"]>
  : undefined;
