// Operations on one organization: settings, credits, members, keys and tokens.
import { listRejections, showRejection } from "./rejections.ts";
import { listTransfers } from "./ledger-page.ts";
import { listRunning } from "./running.ts";
import { countTurns, groupTurns, listTurns, showTurn } from "./turn-log.ts";
import { showTurnSummary } from "./turn-summary.ts";
import type { Operations, OrganizationRequest } from "./authorized-request.ts";
import { readUsage } from "./usage.ts";

/** The operations of the scope `organization`. */
export const ORGANIZATION_OPERATIONS: Operations<"organization", OrganizationRequest, object> = {
  readUsage,
  listTransfers,

  listRunning,
  listTurns,
  showTurn,
  countTurns,
  groupTurns,
  showTurnSummary,
  listRejections,
  showRejection,
};
