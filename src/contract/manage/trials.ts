// What a budget or a policy would have rejected in the last month.
import Type from "typebox";
import { orNull } from "../or-null.ts";
import { budgetName, seconds } from "./resource-fields.ts";

const sums = { responses: Type.Integer(), credits: Type.Number({ description: "credits charged" }) };
const range = {
  from: Type.Integer({ description: "turns that began at this Unix second or later were tried" }),
  to: Type.Integer({ description: "turns that began before this Unix second" }),
  ...sums,
};

export const BudgetTrial = Type.Object({
  ...budgetName,
  limit: Type.Number(),
  ...range,
  rejected_responses: Type.Integer({
    description:
      "turns that the budget would have rejected, at least: those after the hour in which its limit is reached. Some of that hour may come on top, and a turn is also rejected when too little is left to reserve for it",
  }),
  rejected_credits: Type.Number({ description: "what those turns cost" }),
  periods: Type.Array(
    Type.Object({
      from: seconds,
      to: orNull(seconds),
      ...sums,
      rejects_from: orNull(
        Type.Integer({
          description:
            "the Unix second from which on every turn would have been rejected: in most cases the end of the hour in which the limit is reached; null: it is not",
        }),
      ),
      rejected_responses: Type.Integer(),
      rejected_credits: Type.Number(),
    }),
    { description: "the periods that have turns, oldest first" },
  ),
});

export const PolicyTrial = Type.Object({
  allow_models: orNull(Type.Array(Type.String())),
  deny_models: Type.Array(Type.String()),
  ...range,
  rejected_responses: Type.Integer({ description: "turns on models that the policy would not have allowed" }),
  rejected_credits: Type.Number({ description: "what those turns cost" }),
  models: Type.Array(Type.Object({ model: Type.String(), ...sums }), {
    description: "those models, the most expensive first",
  }),
});
