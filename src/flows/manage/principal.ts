// Authenticates management requests: a program by its token, a person by the session cookie, the holder of an API key. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import type { RoleScope } from "../../core/access/roles.ts";
import { TOKEN_FORMAT } from "../../core/access/checked-secret.ts";
import { readBearer } from "../../core/access/bearer.ts";
import { permissionError } from "../../core/access/entitlement.ts";
import type { FoundKey, Member } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { AdminToken, FoundSession, Person } from "../../ports/store/management.ts";
import { StoreError } from "../../ports/store/store.ts";
import { drawRequest } from "../access/drawn-allowances.ts";
import { authenticate, tryRenewal } from "../access/authenticate.ts";
import { SESSION_LIFETIME } from "../accounts/session-lifetime.ts";
import { assertIntended } from "./same-origin.ts";
import { type ManageRequest, type ManageServices, originOf } from "./services.ts";

/** Interval at which a session's last use is stored, milliseconds: a write per request would add little. */
const TOUCH_AFTER_MS = 60_000;

/** A signed-in person's session, with the token that its changes need. */
export interface SignedIn extends FoundSession {
  readonly csrfToken: string;
}

/** The caller of a request: a program with a token or a person with a session. */
export interface Principal {
  readonly actor: Actor;
  readonly roleScope: RoleScope;
  /** Exactly one of `token` and `session` is set. */
  readonly token: AdminToken | null;
  readonly session: SignedIn | null;
}

/** The member who is signed in; null for an operator and for a program. */
export function memberOf({ session }: Pick<Principal, "session">): Member | null {
  return session?.person.kind === "member" ? session.person.member : null;
}

/**
 * The member to whose keys a list is limited, given the member that the request names (null: none). Null: no limit;
 * undefined: the caller may read none of it. The role `member` reads only its own.
 */
export function readableMember(
  { role, session }: Pick<RoleScope, "role"> & Pick<Principal, "session">,
  wanted: string | null = null,
): string | null | undefined {
  if (role !== "member") return wanted;
  // A token with the role member belongs to no member, so it has no keys.
  const own = memberOf({ session })?.id;
  return wanted === null || wanted === own ? own : undefined;
}

/**
 * Finds the principal of a request. Throws 401 `invalid_api_key` for invalid credentials, 503 `auth_unavailable` while
 * the store is unavailable, and 403 `access_denied` for a change that another site may have sent through a browser. An
 * Authorization header takes precedence over a cookie.
 */
export async function findPrincipal(
  services: ManageServices,
  request: ManageRequest,
  { isChange }: { isChange: boolean },
): Promise<Principal> {
  try {
    if (request.authorization.length > 0) return await findProgram(services, request.authorization);
    return await findPerson(services, request, isChange);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ApiError("auth_unavailable", "The credentials could not be checked. Try again.", { cause: error });
  }
}

async function findProgram(services: ManageServices, authorization: readonly string[]): Promise<Principal> {
  const presented = TOKEN_FORMAT.read(readBearer(authorization, "<adm_ token>"));
  const found = presented === null ? null : await services.store.findToken({ lookup: presented.lookup });
  if (
    presented === null ||
    found === null ||
    !services.managementSecrets.matchesToken(presented.secret, found.secretHash)
  ) {
    throw new ApiError(
      "invalid_api_key",
      "The token is not valid: it is unknown, mistyped, incomplete, revoked or expired.",
    );
  }
  const renewed = services.managementSecrets.renewTokenHash(presented.secret, found.secretHash);
  if (renewed !== null) {
    await tryRenewal(services, () => services.store.renewTokenHash({ lookup: presented.lookup, ...renewed }));
  }
  const { token } = found;
  const roleScope: RoleScope = { role: token.role ?? "operator", organizationId: token.organizationId };
  return { actor: { kind: "token", id: token.id }, roleScope, token, session: null };
}

async function findPerson(services: ManageServices, request: ManageRequest, isChange: boolean): Promise<Principal> {
  const { store, managementSecrets, clock } = services;
  const secret = request.sessionCookie;
  const hash = secret === null ? null : managementSecrets.hashSecret(secret);
  const found = hash === null ? null : await store.findSession({ hash, lifetime: SESSION_LIFETIME });
  if (secret === null || found === null) {
    throw new ApiError("invalid_api_key", "Sign in, or send `Authorization: Bearer <adm_ token>`.");
  }
  const csrfToken = managementSecrets.csrfTokenOf(secret);
  if (isChange) {
    assertIntended(request, originOf(services, request), (given) => managementSecrets.isEqual(given, csrfToken));
  }
  if (clock.nowMs() - found.usedAtMs >= TOUCH_AFTER_MS) await store.touchSession({ id: found.id });
  return { ...describePerson(found.person), token: null, session: { ...found, csrfToken } };
}

function describePerson(person: Person): Pick<Principal, "actor" | "roleScope"> {
  if (person.kind === "operator") {
    return { actor: { kind: "operator", id: person.name }, roleScope: { role: "operator", organizationId: null } };
  }
  const { id, role, organizationId } = person.member;
  return { actor: { kind: "member", id }, roleScope: { role, organizationId } };
}

/**
 * Admits a key as /v1 does for a read: 401 `invalid_api_key`, 503 `auth_unavailable`, 403 `access_denied` for a
 * suspended organization or a key without the permission to read, 429 `rate_limit_exceeded` of the class `retrieve`, of
 * the key or of its organization.
 */
export async function admitKeyHolder(services: ManageServices, authorization: readonly string[]): Promise<FoundKey> {
  const { capacity, limits } = services;
  const found = await authenticate(services, authorization);
  const { key, organization } = found;
  const forbidden = permissionError({ permission: key.permission, isSuspended: organization.suspended }, "read");
  if (forbidden !== null) throw forbidden;
  const { allowances } = capacity;
  await drawRequest({ limits, allowances }, { allowance: null }, { allowance: "retrieve" }, found);
  return found;
}
