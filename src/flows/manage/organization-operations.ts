// Operations on one organization: settings, credits, members, keys and tokens.
import { definedOf } from "../../base/defined.ts";
import { invalidInput, notFound } from "../../contract/errors.ts";
import type { ApiKey } from "../../ports/store/accounts.ts";
import { listKeys } from "./account-pages.ts";
import { listAudit } from "./audit-page.ts";
import { listEvents } from "./event-page.ts";
import { listRejections, showRejection } from "./rejections.ts";
import { createKey, revokeKey, rotateKey } from "../accounts/keys.ts";
import { findMember } from "../accounts/members.ts";
import { readModels } from "../accounts/organizations.ts";
import { presentKey, presentOrganization } from "../accounts/present.ts";
import { limitsOf, policyOf } from "../accounts/rules.ts";
import { showLimits } from "./limits-now.ts";
import { listTransfers } from "./ledger-page.ts";
import { listRunning } from "./running.ts";
import { countTurns, groupTurns, listTurns, showTurn } from "./turn-log.ts";
import { showTurnSummary } from "./turn-summary.ts";
import { tryPolicy } from "./trials.ts";
import { presentRetention, setRetention } from "../accounts/retention.ts";
import type { Operations, OrganizationRequest } from "./authorized-request.ts";
import { readableMember } from "./principal.ts";
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

  listKeys: async ({ services, principal, organization }, query) => {
    const memberId = readableMember(principal);
    // It belongs to no member, and so has no keys.
    if (memberId === undefined) return { data: [], has_more: false };
    return listKeys(services.store, { organizationId: organization.id, memberId }, query);
  },
  createKey: async ({ admin, organization }, body) => {
    const { name, member: idOrEmail, permissions: permission = "all" } = body;
    const { unanswered_calls: unansweredCalls = "refuse" } = body;
    const member = idOrEmail === undefined ? null : await findMember(admin, organization.id, idOrEmail);
    if (idOrEmail !== undefined && member === null) {
      throw invalidInput("member", `member is "${idOrEmail}"; allowed: a member of the organization, by id or e-mail.`);
    }
    const create = { organizationId: organization.id, memberId: member?.id ?? null, name, permission, unansweredCalls };
    return createKey(admin, create);
  },
  updateKey: async (authorized, { unanswered_calls: unansweredCalls }) => {
    const { store, by } = authorized.admin;
    return presentKey(await store.updateKey({ by, keyId: (await getKey(authorized)).id, unansweredCalls }));
  },
  rotateKey: async (authorized, { grace = "none" }) =>
    rotateKey(authorized.admin, (await getKey(authorized)).id, grace),
  revokeKey: async (authorized) => revokeKey(authorized.admin, (await getKey(authorized)).id),

  listRunning,
  listTurns,
  showTurn,
  countTurns,
  groupTurns,
  showTurnSummary,
  listRejections,
  showRejection,
  listEvents: ({ services, organization }, query) => listEvents(services.store, organization.id, query),
  listAudit: ({ services, organization }, query) => listAudit(services.store, organization.id, query),
};

type Update = Omit<Parameters<OrganizationRequest["admin"]["store"]["updateOrganization"]>[0], "by" | "organizationId">;

async function update({ admin, organization }: OrganizationRequest, change: Update) {
  return presentOrganization(
    await admin.store.updateOrganization({ by: admin.by, organizationId: organization.id, ...change }),
  );
}

/** Finds the key in the path, likewise. */
async function getKey({ services, organization, request }: OrganizationRequest): Promise<ApiKey> {
  const key = await services.store.findKeyById({ keyId: request.params["key_id"] ?? "" });
  if (key === null || key.organizationId !== organization.id) throw notFound();
  return key;
}
