// Sign-in, setting a password by a link, changing it. @spec authentication
import { invalidInput, ApiError } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { readEmail, readPassword } from "../../core/access/account-fields.ts";
import type { Member } from "../../ports/store/accounts.ts";
import type { PasswordHolder } from "../../ports/store/management.ts";
import { assertNotCrossSite } from "./same-origin.ts";
import { SESSION_LIFETIME, type SignedIn } from "./principal.ts";
import { type ManageRequest, type ManageServices, originOf } from "./services.ts";

/** A new session and the secret for its cookie. */
export interface StartedSession {
  readonly session: SignedIn;
  readonly secret: string;
}

/**
 * Starts a session. Throws 401 `invalid_api_key` with the same message, and after the same time, for a wrong e-mail
 * address, password or organization. A member of several organizations must name one.
 */
export async function signIn(
  services: ManageServices,
  request: ManageRequest,
  body: BodyOf<"signIn">,
): Promise<StartedSession> {
  assertNotCrossSite(request, originOf(services, request));
  const email = readEmail(body.email);
  services.attempts.draw(request.address, email);
  const holders = (await services.store.findPasswordHolders({ email })).filter((holder) =>
    matchesOrganization(holder, body),
  );
  const [holder, ...others] = holders;
  const chosen = holder !== undefined && others.length === 0 ? holder : null;
  const matches = await services.passwords.matches(body.password, chosen?.passwordHash ?? null);
  const started = chosen !== null && matches ? await startSession(services, chosen.member, chosen.passwordHash) : null;
  if (started !== null) return started;
  services.log.info("manage.sign_in_refused", { address: request.address });
  throw new ApiError(
    "invalid_api_key",
    "Wrong e-mail address, password or organization. A member of several organizations must name one.",
  );
}

/**
 * Starts a session with the secret of a sign-in link, and sets a password if one is given. The link is used up and other
 * sessions end.
 */
export async function redeemSignInLink(
  services: ManageServices,
  request: ManageRequest,
  body: BodyOf<"redeemSignInLink">,
): Promise<StartedSession> {
  assertNotCrossSite(request, originOf(services, request));
  services.attempts.draw(request.address, null);
  const password = body.password === undefined ? null : readPassword("password", body.password);
  const hash = services.managementSecrets.hashSecret(body.secret);
  // Before the expensive password hash, so that guessing links costs nothing.
  const holder = await services.store.findSignInLink({ hash });
  if (holder === null) throw linkError();
  const passwordHash =
    password === null ? await keptPassword(services, holder) : await services.passwords.hash(password);
  const member = await services.store.redeemSignInLink({ hash, passwordHash });
  const started = member === null ? null : await startSession(services, member, passwordHash);
  if (started === null) throw linkError();
  return started;
}

/** Changes the password of a member and ends all of the member's sessions. */
export async function changePassword(
  services: ManageServices,
  request: ManageRequest,
  member: Member,
  body: BodyOf<"changePassword">,
): Promise<void> {
  services.attempts.draw(request.address, member.email);
  const password = readPassword("new_password", body.new_password);
  const holders = await services.store.findPasswordHolders({ email: member.email });
  const expectedHash = holders.find((holder) => holder.member.id === member.id)?.passwordHash ?? null;
  const matches = await services.passwords.matches(body.current_password, expectedHash);
  if (!matches || expectedHash === null) throw passwordError();
  const passwordHash = await services.passwords.hash(password);
  if (!(await services.store.changePassword({ memberId: member.id, expectedHash, passwordHash })))
    throw passwordError();
}

/** The hash of a member's password; the hash of a random one for a member without a password. */
async function keptPassword({ store, passwords, managementSecrets }: ManageServices, member: Member): Promise<string> {
  const holders = await store.findPasswordHolders({ email: member.email });
  const own = holders.find((holder) => holder.member.id === member.id);
  return own?.passwordHash ?? passwords.hash(managementSecrets.mintSecret().secret);
}

function matchesOrganization(
  { member, organizationName }: PasswordHolder,
  { organization }: BodyOf<"signIn">,
): boolean {
  return organization === undefined || organization === member.organizationId || organization === organizationName;
}

/** Null if the password was changed or the member removed since the check. */
async function startSession(
  services: ManageServices,
  member: Member,
  expectedHash: string,
): Promise<StartedSession | null> {
  const { store, managementSecrets, mintAccountId, clock } = services;
  const { secret, hash } = managementSecrets.mintSecret();
  const id = mintAccountId("session");
  const expiresAtMs = clock.nowMs() + SESSION_LIFETIME.absoluteMs;
  const lifetime = SESSION_LIFETIME;
  if (!(await store.startSession({ id, memberId: member.id, hash, expectedHash, lifetime }))) return null;
  return { session: { id, member, csrfToken: managementSecrets.csrfTokenOf(secret), expiresAtMs }, secret };
}

function linkError(): ApiError {
  return invalidInput("secret", "The sign-in link is not valid any more. Ask for a new one.");
}

function passwordError(): ApiError {
  return invalidInput("current_password", "The current password is wrong.");
}
