// Who asks: a program by its token, or a person by the session's cookie. @spec authentication
import { Refusal } from "../../contract/errors.ts";
import { SESSION_ABSOLUTE_HOURS, SESSION_IDLE_HOURS } from "../../contract/manage/limits.ts";
import type { Standing } from "../../core/accounts/roles.ts";
import { readToken } from "../../core/accounts/tokens.ts";
import { readBearer } from "../../core/reading/bearer.ts";
import type { Member } from "../../ports/accounts.ts";
import type { Actor } from "../../ports/audit.ts";
import type { AdminToken, SessionLifetime } from "../../ports/management.ts";
import { StoreError } from "../../ports/store.ts";
import { checkMeant } from "./same-origin.ts";
import { type ManageRequest, type ManageWorld, originOf } from "./world.ts";

const HOUR_MS = 3_600_000;
/** A session's last use is noted this often, milliseconds: a write on each request would tell little more. */
const TOUCH_AFTER_MS = 60_000;

/** How long sessions last. */
export const SESSION_LIFETIME: SessionLifetime = {
  idleMs: SESSION_IDLE_HOURS * HOUR_MS,
  absoluteMs: SESSION_ABSOLUTE_HOURS * HOUR_MS,
};

/** A person who is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly member: Member;
  readonly csrfToken: string;
  readonly expiresAtMs: number;
}

export interface Visitor {
  readonly actor: Actor;
  readonly standing: Standing;
  /** One of the two, the other null. */
  readonly token: AdminToken | null;
  readonly session: SignedIn | null;
}

/**
 * Finds out who asks. Refuses 401 `invalid_api_key` who can't be told, 503 `auth_unavailable` while the store can't, and 403
 * `access_denied` a change that another site may have made a browser send. An Authorization header goes before a cookie.
 */
export async function findVisitor(
  world: ManageWorld,
  request: ManageRequest,
  { isChange }: { isChange: boolean },
): Promise<Visitor> {
  try {
    if (request.authorization.length > 0) return await findProgram(world, request.authorization);
    return await findPerson(world, request, isChange);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Refusal("auth_unavailable", "Who you are could not be checked at this moment: try again.", {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

async function findProgram(world: ManageWorld, authorization: readonly string[]): Promise<Visitor> {
  const presented = readToken(readBearer(authorization, "<adm_ token>"));
  const found = presented === null ? null : await world.store.findToken({ lookup: presented.lookup });
  if (
    presented === null ||
    found === null ||
    !world.managementSecrets.matchesToken(presented.secret, found.secretHash)
  ) {
    throw new Refusal("invalid_api_key", "The token is not valid: it is unknown, mistyped, incomplete or revoked.");
  }
  const { token } = found;
  const standing: Standing = { role: token.role ?? "operator", organizationId: token.organizationId };
  return { actor: { kind: "token", id: token.id }, standing, token, session: null };
}

async function findPerson(world: ManageWorld, request: ManageRequest, isChange: boolean): Promise<Visitor> {
  const { store, managementSecrets, clock } = world;
  const [secret] = request.sessionCookies;
  const hash = secret === undefined || request.sessionCookies.length > 1 ? null : managementSecrets.hashSecret(secret);
  const found = hash === null ? null : await store.findSession({ hash, lifetime: SESSION_LIFETIME });
  if (secret === undefined || found === null) {
    throw new Refusal("invalid_api_key", "Sign in, or send `Authorization: Bearer <adm_ token>`.");
  }
  const csrfToken = managementSecrets.csrfTokenOf(secret);
  if (isChange) {
    checkMeant(request, originOf(world, request), (given) => managementSecrets.isEqual(given, csrfToken));
  }
  const { id, member, usedAtMs, expiresAtMs } = found;
  if (clock.nowMs() - usedAtMs >= TOUCH_AFTER_MS) await store.touchSession({ id });
  return {
    actor: { kind: "member", id: member.id },
    standing: { role: member.role, organizationId: member.organizationId },
    token: null,
    session: { id, member, csrfToken, expiresAtMs },
  };
}
