// The filters of the audit log in its URL.
import type { AuditAction } from "../../api/client.ts";
import { ACTIONS } from "./actions.ts";

export interface AuditSearch {
  readonly action?: AuditAction;
  /** An id, or the e-mail address of a member. */
  readonly actor?: string;
  readonly target?: string;
}

/** Filters to set, or with undefined to lift. */
export type AuditChange = Partial<Record<keyof AuditSearch, string | undefined>>;

/** The filters of a URL; whatever is no filter is left out. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const found = {
    action: ACTIONS.find((action) => action === search["action"]),
    actor: text("actor"),
    target: text("target"),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
