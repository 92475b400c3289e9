// Protection against cross-site requests: a browser sends cookies with requests from other sites too.
import { ApiError } from "../../contract/errors.ts";
import type { ManageRequest } from "./services.ts";

type Evidence = Pick<ManageRequest, "csrfToken" | "origin" | "fetchSite">;

/**
 * Throws 403 `access_denied` for a change with a session cookie unless it has the session's token in `x-csrf-token` or,
 * without that header, the browser says that it comes from the same origin.
 */
export function assertIntended(
  evidence: Evidence,
  ownOrigin: string,
  isTokenOfSession: (csrfToken: string) => boolean,
): void {
  const { csrfToken } = evidence;
  const isIntended = csrfToken === null ? isSameOrigin(evidence, ownOrigin) === true : isTokenOfSession(csrfToken);
  if (isIntended) return;
  throw new ApiError(
    "access_denied",
    "This request could come from another site. Send the session's csrf_token as x-csrf-token.",
  );
}

/** Throws 403 `access_denied` for a sign-in that a browser sends from another site. */
export function assertNotCrossSite(evidence: Evidence, ownOrigin: string): void {
  if (isSameOrigin(evidence, ownOrigin) !== false) return;
  throw new ApiError("access_denied", "Sign in from the management interface's own pages.");
}

/** Null if the request has neither header, like a program's. */
function isSameOrigin({ origin, fetchSite }: Evidence, ownOrigin: string): boolean | null {
  if (fetchSite !== null) return fetchSite === "same-origin";
  return origin === null ? null : origin === ownOrigin;
}
