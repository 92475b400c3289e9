// A page of the audit log, newest first.
import { invalidInput } from "../../contract/errors.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import type { AuditStore } from "../../ports/store/audit.ts";
import { presentAuditEntry } from "../accounts/present.ts";

/**
 * Lists a page of one organization's entries, or of all (null). Throws 400 `invalid_input` for an invalid `limit` or
 * `before`.
 */
export async function listAudit(
  store: Pick<AuditStore, "listAudit">,
  organizationId: string | null,
  query: ReadonlyMap<string, string>,
) {
  const limit = readWhole("limit", query.get("limit"), AUDIT_PAGE_MAX) ?? AUDIT_PAGE_DEFAULT;
  const before = readWhole("before", query.get("before"), Number.MAX_SAFE_INTEGER);
  // One more than the page, to know whether there are more.
  const entries = await store.listAudit({ organizationId, before, limit: limit + 1 });
  return { data: entries.slice(0, limit).map(presentAuditEntry), has_more: entries.length > limit };
}

function readWhole(param: string, text: string | undefined, maximum: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= 1 && number <= maximum) return number;
  throw invalidInput(param, `${param} is ${JSON.stringify(text.slice(0, 64))}; allowed: 1 to ${maximum}.`);
}
