// What the holder of an API key sees of it.
import Type from "typebox";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../money.ts";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { ALLOWANCE_CLASSES } from "../routes.ts";
import { KEY_PERMISSIONS } from "./key-options.ts";
import { seconds, usageSums } from "./resource-fields.ts";

const UsageSums = Type.Object(usageSums);

/** A budget that a key's responses count in. */
export const KeyBudget = Type.Object({
  scope: oneOf(BUDGET_SCOPES),
  period: oneOf(BUDGET_PERIODS),
  limit: Type.Number({ description: "with a raise that is in force" }),
  left: Type.Number({ description: "neither spent nor held by a running response; never below 0" }),
  held: Type.Number({ description: "reserved for running turns" }),
  resets_at: orNull(Type.Integer({ description: "Unix seconds; null: never" })),
  increase: Type.Optional(
    Type.Object(
      { amount: Type.Number(), at: seconds },
      { description: "the credits that the holder has asked for; present until an owner or admin answers" },
    ),
  ),
});

/** The 200 response of `GET /me`. */
export const KeyHolder = Type.Object({
  key: Type.Object({
    id: Type.String(),
    name: Type.String(),
    permissions: oneOf(KEY_PERMISSIONS),
    created: seconds,
    secret_valid_until: orNull(
      Type.Integer({ description: "Unix seconds: the end of a rotated secret; null: the secret has no end" }),
    ),
  }),
  usage: Type.Object({ today: UsageSums, month: UsageSums }, { description: "Of this key, by UTC day and month." }),
  budgets: Type.Array(KeyBudget, {
    description: "The budgets that the key's responses count in, the narrowest first.",
  }),
  allowances: Type.Array(
    Type.Object({
      class: oneOf(ALLOWANCE_CLASSES),
      per_minute: Type.Integer(),
      used: Type.Integer({ description: "per_minute - remaining" }),
      remaining: Type.Integer(),
      full_in_seconds: Type.Number(),
    }),
    { description: "The organization's rate limits, which its keys share, as far as this node knows." },
  ),
  open_streams: Type.Object(
    { max: Type.Integer(), open: Type.Integer() },
    { description: "`open`: of the organization, on the node that answers; `max`: on all nodes together." },
  ),
  turns: Type.Object(
    { max: Type.Integer(), now: Type.Integer() },
    { description: "Turns of the organization that run or are queued, on the node that answers." },
  ),
});
