// Descriptions of the operations about credits, budgets and usage.
import { tagged } from "./operation-text.ts";

export const MONEY_OPERATIONS = tagged("Money", {
  setPaymentMethod: { summary: "Record that a payment method is on file" },
  clearPaymentMethod: { summary: "Record that no payment method is on file" },
  startPlan: { summary: "Start the plan" },
  stopPlan: { summary: "Stop the plan" },
  showCredits: { summary: "Show the balance" },
  addCredits: { summary: "Add credits", description: "With a `transaction_id`, a retry does not add credits again." },
  listBudgets: { summary: "List the budgets", description: "Each with the amounts of its current period." },
  setBudget: {
    summary: "Set the limit of a budget",
    description: "The default period is `total`; `organization-day` and `response` need none.",
  },
  raiseBudget: {
    summary: "Raise a budget for a while",
    description: "The raise ends by itself, by the store's clock. It replaces an earlier one of the same budget.",
  },
  clearBudget: { summary: "Remove a budget" },
  listIncreases: {
    summary: "List what holders of keys ask for beyond their budgets",
    description: "The requests that nobody has answered yet, newest first; at most 500.",
  },
  grantIncrease: {
    summary: "Grant a request for more than a budget's limit",
    description:
      "The budget is raised by the amount until the end of its period, on top of a raise that is in force. A budget without periods gets a higher limit.",
  },
  declineIncrease: { summary: "Decline a request for more than a budget's limit" },
  tryBudget: {
    summary: "Try a budget on the last month",
    description:
      "What a budget would have rejected since the beginning of its period 30 days ago, before it is set. Nothing is changed. The parameters are the fields of the body that sets it; the scope `response` cannot be tried.",
  },
  readUsage: {
    summary: "Show usage and charges",
    description:
      "Members see only the usage of their own keys. Rows come in the order of their time, others by cost, highest first; they add up to the row without `by`. `from` and `to` of a row by a time, or of the reply, are those of the log of turns. More than 20,000 rows are a 400.",
  },
  listTransfers: {
    summary: "List the transfers of the organization's ledger, newest first",
    description:
      "A top-up moves credits from `topups` to `credits`, a hold from `credits` to `held`, a settlement from `held` to `charged`, and what is left back to `credits`. A page reads a limited number of the service's transfers: it may have fewer than `limit`, or none, and `has_more` be true.",
  },
  readAllUsage: {
    summary: "Show usage and charges of all organizations",
    description: "As for one organization, also by organization and of one.",
  },
});
