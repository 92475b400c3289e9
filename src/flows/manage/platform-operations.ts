// Operations on the platform, for the operator only.
import { invalidInput, notFound } from "../../contract/errors.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import { ConfigurationError } from "../../ports/configuration.ts";
import { presentReconciliation } from "../accounts/present-spending.ts";
import { listAudit } from "./audit-page.ts";
import { listEvents } from "./event-page.ts";
import { eraseAll } from "../accounts/erase.ts";
import { createOrganization, readAmount } from "../accounts/organizations.ts";
import { createOperatorLink, endOperatorSession, listOperatorSessions } from "../accounts/operators.ts";
import { presentOperatorSession, presentOrganization, presentToken } from "../accounts/present.ts";
import { reloadConfiguration } from "../accounts/reload-configuration.ts";
import { createToken, revokeToken } from "../accounts/tokens.ts";
import { verifyAudit } from "../accounts/verify-audit.ts";
import { presentProviderCheck } from "./provider-check.ts";
import { presentHealth } from "./provider-health.ts";
import { readAllUsage } from "./usage.ts";
import { listNodes } from "./nodes.ts";
import { listAllRunning } from "./running.ts";
import type { AuthorizedRequest, Operations } from "./authorized-request.ts";

/** The operations of the scope `platform`. */
export const PLATFORM_OPERATIONS: Operations<"platform", AuthorizedRequest, object> = {
  listOrganizations: async ({ services, request }) => ({
    data: (await listOrganizations(services.store, request.readQuery().get("deleted"))).map(presentOrganization),
  }),
  createOrganization: async ({ admin }, { name, credits }) => {
    const creditsNano = credits === undefined ? undefined : readAmount("credits", credits);
    return presentOrganization(await createOrganization(admin, { name, creditsNano }));
  },

  listAllTokens: async ({ services }) => ({
    data: (await services.store.listTokens({ organizationId: null })).map(presentToken),
  }),
  createOperatorToken: ({ admin }, { name }) => createToken(admin, { organizationId: null, role: null }, name),
  revokeAnyToken: async ({ services, admin, request }) => {
    const token = await services.store.findTokenById({ tokenId: request.params["token_id"] ?? "" });
    if (token === null) throw notFound();
    return await revokeToken(admin, token.id);
  },

  listProviders: async ({ services }) => ({
    data: services.configuration.show().providers.map(presentHealth(services)),
  }),
  // Nothing is changed by it, so it has no entry in the audit log; the log has who asked.
  checkProviders: async ({ services }) => presentProviderCheck(await services.checkProviders()),
  showConfiguration: async ({ services }) => services.configuration.show(),
  listNodes,
  listAllRunning,
  readAllUsage,
  createOperatorLink: async ({ admin }, body) => {
    const { name, secret, url, expiresAt } = await createOperatorLink(admin, body.name);
    return { operator: { name }, secret, url, expires_at: expiresAt };
  },
  listOperatorSessions: async ({ services, principal }) => {
    const currentId = principal.session?.id ?? null;
    const sessions = await listOperatorSessions(services);
    return { data: sessions.map((session) => presentOperatorSession(session, currentId)) };
  },
  endOperatorSession: async ({ admin, request }) => {
    if (!(await endOperatorSession(admin, request.params["session_id"] ?? ""))) throw notFound();
    return { done: true };
  },

  listAllEvents: ({ services, request }) => listEvents(services.store, null, request.readQuery()),
  listAllAudit: ({ services, request }) => listAudit(services.store, null, request.readQuery()),
  verifyAudit: async ({ services, request }) => {
    const given = request.readQuery().get("head") ?? null;
    if (given !== null && !new RegExp(AUDIT_HEAD_PATTERN).test(given)) {
      throw invalidInput("head", "head must be the head of an earlier verification: 64 hexadecimal digits.");
    }
    const { checked, head, brokenAt, hasExpected } = await verifyAudit(services.store, given);
    return { checked, head, broken_at: brokenAt, has_head: hasExpected };
  },
  eraseDeleted: ({ services, admin }, body) =>
    eraseAll(admin, body.older_than_days ?? services.limits.erasure_after_days, { mayBlockWrites: false }),
  reloadConfiguration: async ({ services, admin }) => {
    const { changed, needsRestart, warnings } = await reloadConfiguration(services, admin.by).catch(
      (error: unknown) => {
        if (error instanceof ConfigurationError)
          throw invalidInput(null, `The configuration is invalid: ${error.message}`);
        throw error;
      },
    );
    services.onReload();
    return { changed, needs_restart: needsRestart, warnings };
  },
  reconcile: async ({ services, request }) => {
    const idOrName = request.readQuery().get("organization_id");
    const organization = idOrName === undefined ? null : await services.store.findOrganization({ idOrName });
    if (idOrName !== undefined && organization?.id !== idOrName) throw notFound();
    return presentReconciliation(await services.store.reconcile({ organizationId: organization?.id ?? null }));
  },
};

/** Throws 400 `invalid_input` unless `deleted` is absent, `true` or `false`. */
function listOrganizations(store: AuthorizedRequest["services"]["store"], deleted: string | undefined) {
  if (deleted === "true") return store.listDeletedOrganizations({ onlyUnerased: false });
  if (deleted === undefined || deleted === "false") return store.listOrganizations();
  throw invalidInput("deleted", `deleted is "${deleted}"; allowed: true or false.`);
}
