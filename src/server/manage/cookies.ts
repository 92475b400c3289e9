// The session cookie: for this server only, hidden from scripts, never sent with requests from other sites.
import { SESSION_ABSOLUTE_HOURS } from "../../contract/manage/limits.ts";
import type { ManageReply } from "../../flows/manage/authorized-request.ts";

const NAME = "turngate_session";
/** With this prefix a browser accepts the cookie over https only, and from no other host or path. */
const SECURE_NAME = `__Host-${NAME}`;

/** The distinct session secrets in a request's Cookie headers; several if another site set a cookie of that name. */
export function readSessionCookies(headers: readonly string[], isSecure: boolean): readonly string[] {
  const wanted = isSecure ? SECURE_NAME : NAME;
  const secrets = new Set<string>();
  for (const pair of headers.join(";").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === wanted) secrets.add(pair.slice(at + 1).trim());
  }
  return [...secrets];
}

/** The Set-Cookie header of a reply, name and value in turn; empty if the cookie does not change. */
export function cookieHeaders({ cookie }: ManageReply, isSecure: boolean): readonly string[] {
  if (cookie === undefined) return [];
  const [value, maxAge] = cookie.kind === "set" ? [cookie.secret, SESSION_ABSOLUTE_HOURS * 3600] : ["", 0];
  const attributes = [`Max-Age=${maxAge}`, "Path=/", "HttpOnly", "SameSite=Strict", ...(isSecure ? ["Secure"] : [])];
  return ["set-cookie", `${isSecure ? SECURE_NAME : NAME}=${value}; ${attributes.join("; ")}`];
}
