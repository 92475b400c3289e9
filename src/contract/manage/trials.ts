// What a policy would have rejected in the last month.
import Type from "typebox";
import { orNull } from "../or-null.ts";

const sums = { responses: Type.Integer(), credits: Type.Number({ description: "credits charged" }) };
const range = {
  from: Type.Integer({ description: "turns that began at this Unix second or later were tried" }),
  to: Type.Integer({ description: "turns that began before this Unix second" }),
  ...sums,
};

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
