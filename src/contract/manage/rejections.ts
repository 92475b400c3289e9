// Requests that got an error response: why, by which figures, and what would let them through.
import Type from "typebox";
import { ERROR_CATALOGUE, type ErrorCode } from "../errors.ts";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { ROUTES } from "../routes.ts";
import { KeyBudget, limitsInForce, seconds } from "./resource-fields.ts";

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

const listed = {
  id: Type.Integer(),
  request_id: Type.String({ description: "the `x-request-id` of its response" }),
  at: seconds,
  key: Type.String(),
  key_name: orNull(Type.String()),
  operation: oneOf(ROUTES.map(({ operation }) => operation)),
  status: Type.Integer(),
  code: oneOf(CODES),
  param: orNull(Type.String()),
  message: orNull(Type.String({ description: "what the client was told; null where it may quote the request" })),
  skipped: Type.Integer({
    description: "rejected requests of the key before this one that were not kept: a node keeps a few a minute",
  }),
};

export const RejectionPage = Type.Object(
  { data: Type.Array(Type.Object(listed)), has_more: Type.Boolean() },
  { description: "Newest first." },
);

export const RejectionDetail = Type.Object({
  ...listed,
  rule: Type.String({ description: "the rule, as a sentence" }),
  lifted_by: Type.Array(Type.String(), { description: "what would let the request through, each as a sentence" }),
  now: Type.Object(
    {
      suspended: Type.Boolean(),
      plan: Type.Boolean(),
      payment_method: Type.Boolean(),
      credits: Type.Number({ description: "the balance" }),
      held: Type.Number({ description: "reserved for running turns besides" }),
      budgets: Type.Array(KeyBudget, {
        description: "those that the key's responses count in, narrowest first; none if the key is revoked",
      }),
      limits: Type.Object(limitsInForce, { description: "the organization's own, or the service's" }),
    },
    { description: "how things stand now" },
  ),
});
