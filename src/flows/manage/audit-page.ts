// A page of the audit log, newest first.
import { AUDIT_READ_MAX } from "../../contract/manage/limits.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import type { AuditStore } from "../../ports/store/audit.ts";
import { presentAuditEntry } from "../accounts/present.ts";

/** Lists a page of one organization's entries, or of all (null), that fit the filters. */
export async function listAudit(
  store: Pick<AuditStore, "searchAudit">,
  organizationId: string | null,
  { limit, before, ...filters }: QueryOf<"listAudit">,
) {
  const filter = { organizationId, ...filters };
  const { entries, next } = await store.searchAudit({ filter, limit, before, readsMax: AUDIT_READ_MAX });
  return { data: entries.map(presentAuditEntry), has_more: next !== null, older: next };
}
