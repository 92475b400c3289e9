// Operations on one organization: settings, credits, members, keys and tokens.
import { definedOf } from "../../base/defined.ts";
import { listRejections, showRejection } from "./rejections.ts";
import { readModels } from "../accounts/organizations.ts";
import { presentOrganization } from "../accounts/present.ts";
import { limitsOf, policyOf } from "../accounts/rules.ts";
import { showLimits } from "./limits-now.ts";
import { listTransfers } from "./ledger-page.ts";
import { listRunning } from "./running.ts";
import { countTurns, groupTurns, listTurns, showTurn } from "./turn-log.ts";
import { showTurnSummary } from "./turn-summary.ts";
import { tryPolicy } from "./trials.ts";
import { presentRetention, setRetention } from "../accounts/retention.ts";
import type { Operations, OrganizationRequest } from "./authorized-request.ts";
import { readUsage } from "./usage.ts";

/** The operations of the scope `organization`. */
export const ORGANIZATION_OPERATIONS: Operations<"organization", OrganizationRequest, object> = {
  setPolicy: (authorized, { allow_models: allow, deny_models: deny, ...rules }) => {
    const { catalog } = authorized.services.offer();
    const policy = policyOf({
      ...rules,
      ...definedOf({
        allow_models: allow && readModels("allow_models", allow, catalog),
        deny_models: deny && readModels("deny_models", deny, catalog),
      }),
    });
    return update(authorized, { policy });
  },
  showLimits,
  setLimits: (authorized, body) => update(authorized, { limits: limitsOf(body) }),
  showRetention: async ({ services, organization }) => presentRetention(organization, services.limits),
  setRetention: async ({ services, admin, organization }, { days }) =>
    presentRetention(await setRetention(admin, organization, days, services.limits), services.limits),

  tryPolicy,
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

type Update = Omit<Parameters<OrganizationRequest["admin"]["store"]["updateOrganization"]>[0], "by" | "organizationId">;

async function update({ admin, organization }: OrganizationRequest, change: Update) {
  return presentOrganization(
    await admin.store.updateOrganization({ by: admin.by, organizationId: organization.id, ...change }),
  );
}
