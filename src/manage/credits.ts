// What an organization needs to be served: a payment method, a plan and credits. docs/management.md
import Type from "typebox";
import { EVERYBODY, OPERATOR, OWNER } from "../contract/manage/roles.ts";
import { readAmount } from "../flows/accounts/amounts.ts";
import { secondsOf } from "../ports/clock.ts";
import { credits } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { changeOrganization, Organization, presentOrganization } from "./organizations.ts";

const setPaymentMethod = operation({
  route: "POST /organizations/:organization_id/payment-method",
  roles: OWNER,
  summary: "Record that a payment method is on file",
  command: { words: "payment-method set" },
  output: { Organization },
  run: (context) => changeOrganization(context, { paymentMethod: true }),
});

const clearPaymentMethod = operation({
  route: "DELETE /organizations/:organization_id/payment-method",
  roles: OWNER,
  summary: "Record that no payment method is on file",
  command: { words: "payment-method clear" },
  output: { Organization },
  run: (context) => changeOrganization(context, { paymentMethod: false }),
});

const startPlan = operation({
  route: "POST /organizations/:organization_id/plan",
  roles: OWNER,
  summary: "Start the plan",
  command: { words: "plan start" },
  output: { Organization },
  run: (context) => changeOrganization(context, { plan: true }),
});

const stopPlan = operation({
  route: "DELETE /organizations/:organization_id/plan",
  roles: OWNER,
  summary: "Stop the plan",
  command: { words: "plan stop" },
  output: { Organization },
  run: (context) => changeOrganization(context, { plan: false }),
});

const showCredits = operation({
  route: "GET /organizations/:organization_id/credits",
  roles: EVERYBODY,
  summary: "Show the balance",
  command: { words: "credits show", help: "show the organization with its balance" },
  output: { Organization },
  run: async ({ organization }) => presentOrganization(organization),
});

const addCredits = operation({
  route: "POST /organizations/:organization_id/credits",
  roles: OPERATOR,
  summary: "Add credits",
  description: "With a `transaction_id`, a retry does not add credits again.",
  command: { words: "credits add", options: { transaction_id: { flags: "--transaction <id>" } } },
  input: {
    amount: credits("the number of credits, in steps of a millionth", 0),
    transaction_id: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_.:-]{1,64}$",
        description:
          "your own id of this top-up, 1 to 64 of A-Z a-z 0-9 _ . : -; a repetition with the same id and amount adds nothing",
      }),
    ),
  },
  output: { Organization },
  async run(context, { amount, transaction_id: transactionId = context.mintAccountId("transaction") }) {
    const { store, by, organization, nowMs } = context;
    const amountNano = readAmount("amount", amount);
    const topUp = { by, organizationId: organization.id, transactionId, amountNano, createdAt: secondsOf(nowMs) };
    return presentOrganization(await store.addCredits(topUp));
  },
});

export const PAYMENT_METHOD = {
  tag: "Money",
  about: "whether an organization can pay",
  operations: { setPaymentMethod, clearPaymentMethod },
} as const satisfies Subject;

export const PLAN = {
  tag: "Money",
  about: "whether an organization has a plan; `plan FILE` shows what `apply FILE` would change",
  operations: { startPlan, stopPlan },
} as const satisfies Subject;

export const CREDITS = {
  tag: "Money",
  about: "the balance of an organization",
  operations: { addCredits, showCredits },
} as const satisfies Subject;
