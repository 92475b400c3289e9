// The filters of the audit log in its URL.
import type { AuditAction } from "../../api/client.ts";
import { defined } from "../../parts/defined.ts";
import { readText } from "../search.ts";
import { readTimes, type TimesSearch } from "../time-range.ts";
import { ACTIONS } from "./actions.ts";

export interface AuditSearch extends TimesSearch {
  readonly action?: AuditAction;
  /** An id, or the e-mail address of a member. */
  readonly actor?: string;
  readonly target?: string;
}

/** Filters to set, or with undefined to lift. */
export type AuditChange = Partial<Record<keyof AuditSearch, string | undefined>>;

/** The filters of a URL; whatever is no filter is left out. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return defined({
    ...readTimes(search),
    action: ACTIONS.find((action) => action === search["action"]),
    actor: readText(search["actor"]),
    target: readText(search["target"]),
  });
}
