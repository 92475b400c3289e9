// Descriptions of the operations about credits, budgets and usage.
import { tagged } from "./operation-text.ts";

export const MONEY_OPERATIONS = tagged("Money", {
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
