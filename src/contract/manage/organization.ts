// An organization in the replies of the management interface.
import Type from "typebox";
import { orNull } from "../or-null.ts";

/** An organization. */
export const Organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.Boolean(),
  payment_method: Type.Boolean(),
  credits: Type.Number({ description: "the balance" }),
  held: Type.Number({ description: "reserved for running turns besides" }),
  policy: Type.Object({
    allow_models: orNull(Type.Array(Type.String())),
    deny_models: Type.Array(Type.String()),
    tool_calls_per_turn: orNull(Type.Integer()),
  }),
  limits: Type.Object({
    create_per_minute: orNull(Type.Integer()),
    retrieve_per_minute: orNull(Type.Integer()),
    delete_per_minute: orNull(Type.Integer()),
    open_streams: orNull(Type.Integer()),
    concurrent_turns: orNull(Type.Integer()),
  }),
  suspended: Type.Optional(Type.Boolean({ description: "present only if true" })),
  deleted_at: Type.Optional(Type.Integer({ description: "present only of a deleted organization, Unix seconds" })),
  erased_at: Type.Optional(
    orNull(Type.Integer({ description: "when nothing of it was left to erase, Unix seconds; null: not yet" })),
  ),
});
