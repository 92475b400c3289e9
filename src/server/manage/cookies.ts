// The cookies: for this server only, hidden from scripts, never sent with requests from other sites. One is the
// session, the other what the browser keeps while a person is at the provider of single sign-on. It may be strict too:
// our own page, not the provider's redirect, sends it back.
import { SESSION_ABSOLUTE_HOURS, SINGLE_SIGN_ON_MINUTES } from "../../contract/manage/limits.ts";
import type { CookieChanges } from "../../manage/definition/context.ts";

const SESSION = { name: "turngate_session", maxAge: SESSION_ABSOLUTE_HOURS * 3600 };
const KEPT_SIGN_IN = { name: "turngate_sign_in", maxAge: SINGLE_SIGN_ON_MINUTES * 60 };
/** With this prefix a browser accepts a cookie over https only, and from no other host or path. */
const SECURE_PREFIX = "__Host-";

type Cookie = typeof SESSION;

/** The cookies in a request's Cookie headers; null: none, or several values, if another site set one of that name. */
export function readCookies(headers: readonly string[], isSecure: boolean) {
  const pairs = headers.join(";").split(";").map(splitPair);
  const valueOf = (cookie: Cookie) => {
    const wanted = nameOf(cookie, isSecure);
    const [value = null, ...others] = new Set(pairs.filter(([name]) => name === wanted).map(([, each]) => each));
    return others.length === 0 ? value : null;
  };
  return { sessionCookie: valueOf(SESSION), keptSignIn: valueOf(KEPT_SIGN_IN) };
}

/** The Set-Cookie headers of a reply, names and values in turn; empty if no cookie changes. */
export function cookieHeaders({ session, keptSignIn }: CookieChanges, isSecure: boolean): readonly string[] {
  return [...headerOf(SESSION, session, isSecure), ...headerOf(KEPT_SIGN_IN, keptSignIn, isSecure)];
}

function headerOf(cookie: Cookie, secret: string | null | undefined, isSecure: boolean): readonly string[] {
  if (secret === undefined) return [];
  const [value, maxAge] = secret === null ? ["", 0] : [secret, cookie.maxAge];
  const attributes = [`Max-Age=${maxAge}`, "Path=/", "HttpOnly", "SameSite=Strict", ...(isSecure ? ["Secure"] : [])];
  return ["set-cookie", `${nameOf(cookie, isSecure)}=${value}; ${attributes.join("; ")}`];
}

function nameOf({ name }: Cookie, isSecure: boolean): string {
  return isSecure ? `${SECURE_PREFIX}${name}` : name;
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf("=");
  return at < 0 ? ["", ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}
