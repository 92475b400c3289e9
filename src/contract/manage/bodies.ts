// Bodies of the management interface. Unknown fields are rejected, since a mistyped one would change less,
// or more, than intended. The shapes check types; the flows check values.
import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";
import { orNull } from "../or-null.ts";
import { NAME_CHARACTERS_MAX, RETENTION_DAYS_MAX } from "./limits.ts";
import type { ManageOperation } from "./routes.ts";

const text = (description: string, maxLength: number = NAME_CHARACTERS_MAX, minLength = 1) =>
  Type.String({ minLength, maxLength, description });
/** An integer, or null for the default. */
const countOrNull = (minimum: number, description: string) =>
  Type.Optional(orNull(Type.Integer({ minimum, maximum: 1_000_000_000 }), { description }));

/** The shape of a body, and whether it may be empty. */
export interface BodyRule<Shape extends TSchema = TSchema> {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: "required" | "optional";
}

/** A required body of these fields and no others. */
function body<Fields extends TProperties>(
  name: string,
  fields: Fields,
  options: { description?: string } = {},
): BodyRule<TObject<Fields>> {
  return { name, shape: Type.Object(fields, { additionalProperties: false, ...options }), presence: "required" };
}

function optionalBody<Fields extends TProperties>(name: string, fields: Fields): BodyRule<TObject<Fields>> {
  return { ...body(name, fields), presence: "optional" };
}

const PARTIAL = { description: "Fields that are given are set; the others keep their values." };
const modelIds = Type.Array(
  text("a model, by its id or bare form; a full id is accepted even if the catalog does not have the model (yet)"),
  { maxItems: 500 },
);

/** The bodies by operation; an operation that is missing here has none. */
export const MANAGE_BODIES = {
  setPolicy: body(
    "SetPolicyBody",
    {
      allow_models: Type.Optional(orNull(modelIds, { description: "only these models; null: all models" })),
      deny_models: Type.Optional(modelIds),
      tool_calls_per_turn: countOrNull(0, "maximum number of tool calls in a turn; null: no limit"),
    },
    PARTIAL,
  ),
  setLimits: body(
    "SetLimitsBody",
    {
      create_per_minute: countOrNull(1, "create requests per minute; null: the limit of the service"),
      retrieve_per_minute: countOrNull(1, "retrieve requests per minute; null: the limit of the service"),
      delete_per_minute: countOrNull(1, "delete and cancel requests per minute; null: the limit of the service"),
      open_streams: countOrNull(0, "streams open at the same time; null: the limit of the service"),
      concurrent_turns: countOrNull(
        1,
        "turns at once on each node, running and queued ones; null: the share of one organization",
      ),
    },
    PARTIAL,
  ),
  setRetention: body("SetRetentionBody", {
    days: orNull(Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX }), {
      description: "days after its last use a history is deleted; null: as the service does",
    }),
  }),
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
