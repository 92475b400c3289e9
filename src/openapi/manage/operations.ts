// Descriptions of the operations of the management interface, by tag in the order of the document.
import type { ManageOperation } from "../../contract/manage/routes.ts";
import { MONEY_OPERATIONS } from "./money-operations.ts";
import { tagged, type TaggedText } from "./operation-text.ts";
import { TURN_OPERATIONS } from "./turn-operations.ts";

/** Every operation of the route table. */
export const MANAGE_OPERATIONS: Readonly<Record<ManageOperation, TaggedText>> = {
  ...tagged("Platform", {
    listModels: { summary: "List the catalog" },
    listNodes: {
      summary: "List the processes that share the database",
      description:
        "The nodes on PostgreSQL, and those that left or died within the last day. With an embedded database there are none: one process serves on it.",
    },
    eraseDeleted: { summary: "Erase deleted content whose retention has passed" },
    reconcile: { summary: "Recompute all balances and compare", description: "Amounts are nano-credits." },
  }),
  ...tagged("Organizations", {
    setPolicy: { summary: "Change the model policy" },
    tryPolicy: {
      summary: "Try a model policy on the last month",
      description: "The turns of the last 30 days on models that it would not have allowed. Nothing is changed.",
    },
    showLimits: {
      summary: "Show the limits that are in force, and what is used of them on the node that answers",
      description: "Draws nothing.",
    },
    setLimits: { summary: "Change the organization's limits" },
    showRetention: { summary: "Show how long histories are kept" },
    setRetention: {
      summary: "Set how long histories are kept",
      description:
        "A history is deleted, and its content erased, that many days after the last turn or the last added item. It cannot be kept longer than the service does, nor shorter than an `Idempotency-Key`: 400 `invalid_input`.",
    },
  }),
  ...MONEY_OPERATIONS,
  ...TURN_OPERATIONS,
};
