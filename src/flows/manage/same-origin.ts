// Whether a request that changes something comes from our own pages: a browser sends cookies along with other sites' requests too.
import { Refusal } from "../../contract/errors.ts";
import type { ManageRequest } from "./world.ts";

type Evidence = Pick<ManageRequest, "csrfToken" | "origin" | "fetchSite">;

/**
 * Refuses 403 `access_denied` a change made with a session's cookie that proves in no way that it is meant: by the session's token in
 * `x-csrf-token`, else by what the browser says of where it comes from.
 */
export function checkMeant(
  evidence: Evidence,
  ownOrigin: string,
  isTokenOfSession: (csrfToken: string) => boolean,
): void {
  const { csrfToken } = evidence;
  const isMeant = csrfToken === null ? isSameOrigin(evidence, ownOrigin) === true : isTokenOfSession(csrfToken);
  if (isMeant) return;
  throw new Refusal(
    "access_denied",
    "This request can't be told from one that another site made: send the session's csrf_token as x-csrf-token.",
  );
}

/** Refuses 403 `access_denied` a sign-in that a browser sends for another site. */
export function checkNotForeign(evidence: Evidence, ownOrigin: string): void {
  if (isSameOrigin(evidence, ownOrigin) !== false) return;
  throw new Refusal("access_denied", "Sign in from the management interface's own pages.");
}

/** Null: nothing is said, as by programs. */
function isSameOrigin({ origin, fetchSite }: Evidence, ownOrigin: string): boolean | null {
  if (fetchSite !== null) return fetchSite === "same-origin";
  return origin === null ? null : origin === ownOrigin;
}
