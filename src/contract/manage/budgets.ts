// Budgets, and requests for more than their limits.
import Type from "typebox";
import { orNull } from "../or-null.ts";
import { budgetName, seconds } from "./resource-fields.ts";

export const Budget = Type.Object({
  ...budgetName,
  limit: Type.Number({ description: "without a raise" }),
  raise: Type.Optional(
    Type.Object(
      { amount: Type.Number(), until: seconds },
      { description: "what may be spent in addition until then; present only while it is in force" },
    ),
  ),
  spent: Type.Number(),
  held: Type.Number(),
  used_up_at: orNull(
    Type.Integer({
      description:
        "the forecast, Unix seconds: when its limit (raise included) is spent at the pace of its period so far; null: not within the period",
    }),
  ),
});
export const BudgetIncrease = Type.Object({
  id: Type.String(),
  key: Type.String(),
  key_name: Type.String(),
  budget: Type.Object(budgetName),
  amount: Type.Number({ description: "the credits that are asked for, in addition to the limit" }),
  at: seconds,
  until: orNull(
    Type.Integer({ description: "the end of the budget's period, Unix seconds; null: the budget has no periods" }),
  ),
});
