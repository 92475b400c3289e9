// Operations on the platform, for the operator only.
import { notFound } from "../../contract/errors.ts";
import { presentReconciliation } from "../accounts/present-spending.ts";
import { eraseAll } from "../accounts/erase.ts";
import { readAllUsage } from "./usage.ts";
import { listNodes } from "./nodes.ts";
import { listAllRunning } from "./running.ts";
import type { AuthorizedRequest, Operations } from "./authorized-request.ts";

/** The operations of the scope `platform`. */
export const PLATFORM_OPERATIONS: Operations<"platform", AuthorizedRequest, object> = {
  listNodes,
  listAllRunning,
  readAllUsage,
  eraseDeleted: ({ services, admin }, body) =>
    eraseAll(admin, body.older_than_days ?? services.limits.erasure_after_days, { mayBlockWrites: false }),
  reconcile: async ({ services: { store } }, { organization_id: organizationId }) => {
    const organization = organizationId === null ? null : await store.findOrganization({ idOrName: organizationId });
    if (organizationId !== (organization?.id ?? null)) throw notFound();
    return presentReconciliation(await store.reconcile({ organizationId }));
  },
};
