// Descriptions of the operations of the management interface, by tag in the order of the document.
import type { ManageOperation } from "../../contract/manage/routes.ts";
import { MONEY_OPERATIONS } from "./money-operations.ts";
import { tagged, type TaggedText } from "./operation-text.ts";
import { TURN_OPERATIONS } from "./turn-operations.ts";

/** Every operation of the route table. */
export const MANAGE_OPERATIONS: Readonly<Record<ManageOperation, TaggedText>> = {
  ...tagged("Platform", {
    listNodes: {
      summary: "List the processes that share the database",
      description:
        "The nodes on PostgreSQL, and those that left or died within the last day. With an embedded database there are none: one process serves on it.",
    },
    eraseDeleted: { summary: "Erase deleted content whose retention has passed" },
    reconcile: { summary: "Recompute all balances and compare", description: "Amounts are nano-credits." },
  }),
  ...MONEY_OPERATIONS,
  ...TURN_OPERATIONS,
};
