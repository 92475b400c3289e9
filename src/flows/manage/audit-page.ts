// A page of the audit log, newest first.
import type { AuditStore } from "../../ports/store/audit.ts";
import { presentAuditEntry } from "../accounts/present.ts";
import { presentPage, readPage } from "./paging.ts";

/**
 * Lists a page of one organization's entries, or of all (null). Throws 400 `invalid_input` for an invalid `limit` or
 * `before`.
 */
export async function listAudit(
  store: Pick<AuditStore, "listAudit">,
  organizationId: string | null,
  query: ReadonlyMap<string, string>,
) {
  const { limit, before } = readPage(query);
  const entries = await store.listAudit({ organizationId, before, limit: limit + 1 });
  return presentPage(entries, limit, presentAuditEntry);
}
