// A page of the audit log, newest first.
import { invalidInput } from "../../contract/errors.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import type { AuditStore } from "../../ports/audit.ts";
import { showAuditEntry } from "../accounts/shapes.ts";

/** The page that a query asks for, of one organization or (null) of all; refuses 400 `invalid_input` what is no number. */
export async function listAudit(
  store: Pick<AuditStore, "listAudit">,
  organizationId: string | null,
  query: ReadonlyMap<string, string>,
) {
  const limit = readWhole("limit", query.get("limit"), AUDIT_PAGE_MAX) ?? AUDIT_PAGE_DEFAULT;
  const before = readWhole("before", query.get("before"), Number.MAX_SAFE_INTEGER);
  // One more than is shown tells whether there are more.
  const entries = await store.listAudit({ organizationId, before, limit: limit + 1 });
  return { data: entries.slice(0, limit).map(showAuditEntry), has_more: entries.length > limit };
}

function readWhole(param: string, text: string | undefined, maximum: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= 1 && number <= maximum) return number;
  throw invalidInput(param, `${param} is ${JSON.stringify(text.slice(0, 64))}; allowed: 1 to ${maximum}.`);
}
