// A page of the audit log, newest first.
import { AUDIT_ACTIONS } from "../../contract/manage/audit-actions.ts";
import { AUDIT_READ_MAX, EMAIL_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import type { AuditStore } from "../../ports/store/audit.ts";
import { presentAuditEntry } from "../accounts/present.ts";
import { readPage } from "./paging.ts";
import { readOneOf, readText } from "./query-text.ts";

/**
 * Lists a page of one organization's entries, or of all (null), that fit the filters. Throws 400 `invalid_input` with
 * the parameter that is not valid.
 */
export async function listAudit(
  store: Pick<AuditStore, "searchAudit">,
  organizationId: string | null,
  query: ReadonlyMap<string, string>,
) {
  const filter = {
    organizationId,
    action: readOneOf("action", query, AUDIT_ACTIONS),
    actor: readText("actor", query, EMAIL_CHARACTERS_MAX),
    target: readText("target", query),
  };
  const { entries, next } = await store.searchAudit({ filter, ...readPage(query), readsMax: AUDIT_READ_MAX });
  return { data: entries.map(presentAuditEntry), has_more: next !== null, older: next };
}
