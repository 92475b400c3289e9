// The filters of a screen that are in its URL, so that a link shows the same.
import { isOwnPath } from "../session/own-path.ts";

/** The request that is explained. */
export function readRejectionsSearch(search: Record<string, unknown>): { request?: string } {
  const { request } = search;
  return typeof request === "string" && request !== "" ? { request } : {};
}

/** The sign-in page: the screen that comes next, and for whom a link is. */
export function readSignInSearch(search: Record<string, unknown>): { next?: string; as?: "operator" } {
  const { next, as } = search;
  return { ...(isOwnPath(next) ? { next } : {}), ...(as === "operator" ? { as } : {}) };
}
