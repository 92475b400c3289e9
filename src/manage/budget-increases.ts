// What holders of keys ask for beyond the limits of their budgets. docs/management.md
import Type from "typebox";
import { notFound } from "../contract/errors.ts";
import { budgetName, seconds, time } from "../contract/manage/resource-fields.ts";
import { MANAGERS } from "../contract/manage/roles.ts";
import { orNull } from "../contract/shapes.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { readAmount } from "../flows/accounts/amounts.ts";
import { secondsOf } from "../ports/clock.ts";
import { Budget, presentWithLimits } from "./budgets.ts";
import { setterOf } from "./ceilings.ts";
import { credits, Done, list } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

const BudgetIncrease = Type.Object({
  id: Type.String(),
  key: Type.String(),
  key_name: Type.String(),
  budget: Type.Object(budgetName),
  amount: Type.Number({ description: "the credits that are asked for, in addition to the limit" }),
  at: seconds,
  until: orNull(time("the end of the budget's period, Unix seconds; null: the budget has no periods")),
});

const listIncreases = operation({
  route: "GET /organizations/:organization_id/budget-increases",
  roles: MANAGERS,
  summary: "List requests for more than a budget's limit",
  description: "The open requests, newest first; at most 500.",
  command: { words: "budgets increases", whenEmpty: "There is no open request." },
  output: { BudgetIncreaseList: list(BudgetIncrease) },
  async run({ store, organization }) {
    const increases = await store.listIncreases({ organizationId: organization.id });
    return {
      data: increases.map(({ id, keyId, keyName, budget, amountNano, atMs, untilMs }) => ({
        id,
        key: keyId,
        key_name: keyName,
        budget: { ...budget },
        amount: creditsAsNumber(amountNano),
        at: secondsOf(atMs),
        until: untilMs === null ? null : secondsOf(untilMs),
      })),
    };
  },
});

const REQUEST = { help: "the id of the request" };

const grantIncrease = operation({
  route: "POST /organizations/:organization_id/budget-increases/:increase_id/grant",
  roles: MANAGERS,
  summary: "Grant a request for more than a budget's limit",
  description:
    "The budget is raised by the amount until the end of its period, on top of a raise that ends then; while one that ends at another time is in force, nothing is granted. A budget without periods gets a higher limit.",
  command: {
    words: "budgets grant",
    options: {
      increase_id: REQUEST,
      amount: { flags: "--by <credits>", help: "credits to grant (default: the amount asked for)" },
    },
    optional: ["amount"],
    complete: async ({ increase_id, amount }, call) => {
      if (amount !== undefined) return {};
      const asked = (await call(listIncreases, {})).data.find(({ id }) => id === increase_id);
      if (asked === undefined) throw notFound();
      return { amount: asked.amount };
    },
  },
  input: { amount: credits("the number of credits that are granted, in steps of a millionth", 0) },
  output: { Budget },
  async run(context, { increase_id: id, amount }) {
    const { store, by, organization, nowMs } = context;
    const amountNano = readAmount("amount", amount);
    const organizationId = organization.id;
    const budget = await store.grantIncrease({ organizationId, id, amountNano, by, setBy: setterOf(context) });
    if (budget === null) throw notFound();
    return presentWithLimits(budget, nowMs);
  },
});

const declineIncrease = operation({
  route: "POST /organizations/:organization_id/budget-increases/:increase_id/decline",
  roles: MANAGERS,
  summary: "Decline a request for more than a budget's limit",
  command: { words: "budgets decline", options: { increase_id: REQUEST } },
  output: { Done },
  async run({ store, by, organization }, { increase_id: id }) {
    if ((await store.declineIncrease({ organizationId: organization.id, id, by })) === null) throw notFound();
    return { done: true };
  },
});

/** In the order of their commands, which follow those of BUDGETS. */
export const BUDGET_INCREASES = {
  tag: "Money",
  operations: { listIncreases, grantIncrease, declineIncrease },
} as const satisfies Subject;
