// Signing in by password and by link; setting and changing a password. @spec authentication
import { invalidInput, ApiError } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { readEmail, readPassword } from "../../core/access/account-fields.ts";
import { isEmergencyRole, type SignInPolicy } from "../../core/access/single-sign-on.ts";
import type { Member } from "../../ports/store/accounts.ts";
import type { FoundSession, NewSession, PasswordHolder, Person } from "../../ports/store/management.ts";
import { SESSION_LIFETIME } from "../accounts/session-lifetime.ts";
import { assertNotCrossSite } from "./same-origin.ts";
import type { SignedIn } from "./principal.ts";
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
  assertPasswords(services);
  const email = readEmail(body.email);
  services.attempts.draw(request.address, email);
  const holders = (await services.store.findPasswordHolders({ email })).filter((holder) =>
    matchesOrganization(holder, body),
  );
  const [holder, ...others] = holders;
  const chosen = holder !== undefined && others.length === 0 ? holder : null;
  const matches = await services.passwords.matches(body.password, chosen?.passwordHash ?? null);
  const started = chosen !== null && matches ? await startWithPassword(services, request, chosen) : null;
  if (started !== null) return started;
  services.log.info("manage.sign_in_refused", { address: request.address });
  throw new ApiError(
    "invalid_api_key",
    "Wrong e-mail address, password or organization. A member of several organizations must name one.",
  );
}

/**
 * Starts a session with the secret of a sign-in link, and sets the password of a member if one is given. The link is
 * used up and other sessions of the member end.
 */
export async function redeemSignInLink(
  services: ManageServices,
  request: ManageRequest,
  body: BodyOf<"redeemSignInLink">,
): Promise<StartedSession> {
  assertNotCrossSite(request, originOf(services, request));
  services.attempts.draw(request.address, null);
  const { store, passwords, managementSecrets } = services;
  if (body.password !== undefined) assertPasswords(services);
  const password = body.password === undefined ? null : readPassword("password", body.password);
  const hash = managementSecrets.hashSecret(body.secret);
  // Before the expensive password hash, so that guessing links costs nothing.
  const person = await store.findSignInLink({ hash });
  if (person === null) throw linkError();
  const { singleSignOn } = services;
  if (person.kind === "member" && singleSignOn?.policy.isOnlyWay && !isEmergencyRole(person.member.role)) {
    throw onlyWayError(singleSignOn.policy);
  }
  if (person.kind === "operator" && password !== null) {
    throw invalidInput("password", "An operator has no password: leave it out.");
  }
  const passwordHash = password === null ? null : await passwords.hash(password);
  const started = await startSession(services, request, (session) =>
    store.redeemSignInLink({ hash, passwordHash, session }),
  );
  if (started === null) throw linkError();
  return started;
}

/** Changes the password of a member, or sets the first one, and ends all of the member's sessions. */
export async function changePassword(
  services: ManageServices,
  request: ManageRequest,
  person: Person,
  body: BodyOf<"changePassword">,
): Promise<void> {
  assertPasswords(services);
  if (person.kind === "operator") throw invalidInput(null, "An operator has no password.");
  const { member } = person;
  services.attempts.draw(request.address, member.email);
  const password = readPassword("new_password", body.new_password);
  const expectedHash =
    body.current_password === undefined ? null : await checkPassword(services, member, body.current_password);
  const passwordHash = await services.passwords.hash(password);
  if (await services.store.changePassword({ memberId: member.id, expectedHash, passwordHash })) return;
  throw expectedHash === null ? missingPasswordError() : passwordError();
}

/** The hash of a member's password; throws 400 if it is another one. */
async function checkPassword({ store, passwords }: ManageServices, member: Member, given: string): Promise<string> {
  const holders = await store.findPasswordHolders({ email: member.email });
  const hash = holders.find((holder) => holder.member.id === member.id)?.passwordHash ?? null;
  const matches = await passwords.matches(given, hash);
  if (!matches || hash === null) throw passwordError();
  return hash;
}

function matchesOrganization(
  { member, organizationName }: PasswordHolder,
  { organization }: BodyOf<"signIn">,
): boolean {
  return organization === undefined || organization === member.organizationId || organization === organizationName;
}

/** Null if the password was changed or the member removed since the check. */
function startWithPassword(
  services: ManageServices,
  request: ManageRequest,
  { member, passwordHash }: PasswordHolder,
): Promise<StartedSession | null> {
  return startSession(services, request, (session) =>
    services.store.startSession({ memberId: member.id, expectedHash: passwordHash, session }),
  );
}

/** Starts a session, in which the store proves who the person is: null if it does not. */
export async function startSession(
  { managementSecrets, mintAccountId }: ManageServices,
  { address, userAgent }: ManageRequest,
  start: (session: NewSession) => Promise<FoundSession | null>,
): Promise<StartedSession | null> {
  const { secret, hash } = managementSecrets.mintSecret();
  const id = mintAccountId("session");
  const found = await start({ id, hash, lifetime: SESSION_LIFETIME, address, userAgent });
  return found === null ? null : { session: { ...found, csrfToken: managementSecrets.csrfTokenOf(secret) }, secret };
}

/** Throws 403 `access_denied` where single sign-on has replaced passwords. */
function assertPasswords({ singleSignOn }: ManageServices): void {
  if (singleSignOn?.policy.isOnlyWay) throw onlyWayError(singleSignOn.policy);
}

function onlyWayError({ name }: SignInPolicy): ApiError {
  return new ApiError("access_denied", `Sign in with ${name}: other ways are switched off on this service.`);
}

function linkError(): ApiError {
  return invalidInput("secret", "The sign-in link is not valid any more. Ask for a new one.");
}

function missingPasswordError(): ApiError {
  return invalidInput("current_password", "current_password is missing: you have a password already.");
}

function passwordError(): ApiError {
  return invalidInput("current_password", "The current password is wrong.");
}
