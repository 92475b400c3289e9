// How people sign in, set a password by a link and change it. @spec authentication
import { invalidInput, Refusal } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { readEmail, readPassword } from "../../core/accounts/account-fields.ts";
import type { Member } from "../../ports/accounts.ts";
import type { PasswordHolder } from "../../ports/management.ts";
import { checkNotForeign } from "./same-origin.ts";
import { SESSION_LIFETIME, type SignedIn } from "./visitor.ts";
import { type ManageRequest, type ManageWorld, originOf } from "./world.ts";

/** A session that has begun, and the secret for its cookie. */
export interface Begun {
  readonly session: SignedIn;
  readonly secret: string;
}

/**
 * Starts a session. Refuses 401 `invalid_api_key` in the same words, and after the same time, whatever is not right: the address, the
 * password, or the organization that who is a member of several must name.
 */
export async function signIn(world: ManageWorld, request: ManageRequest, body: BodyOf<"signIn">): Promise<Begun> {
  checkNotForeign(request, originOf(world, request));
  const email = readEmail(body.email);
  world.attempts.draw(request.address, email);
  const holders = (await world.store.findPasswordHolders({ email })).filter((holder) => isMeant(holder, body));
  const [holder, ...others] = holders;
  const chosen = holder !== undefined && others.length === 0 ? holder : null;
  const matches = await world.passwords.matches(body.password, chosen?.passwordHash ?? null);
  const begun = chosen !== null && matches ? await startSession(world, chosen.member, chosen.passwordHash) : null;
  if (begun !== null) return begun;
  world.log.info("manage.sign_in_refused", { address: request.address });
  throw new Refusal(
    "invalid_api_key",
    "The e-mail address, password or organization is not right. Who is a member of several organizations names one.",
  );
}

/** Sets a password by the secret of a sign-in link, and starts a session. The link is used up, other sessions end. */
export async function redeemSignInLink(
  world: ManageWorld,
  request: ManageRequest,
  body: BodyOf<"redeemSignInLink">,
): Promise<Begun> {
  checkNotForeign(request, originOf(world, request));
  world.attempts.draw(request.address, null);
  const password = readPassword("password", body.password);
  const hash = world.managementSecrets.hashSecret(body.secret);
  // Looked up before the password is hashed: guessing at links must cost us nothing.
  if ((await world.store.findSignInLink({ hash })) === null) throw badLink();
  const passwordHash = await world.passwords.hash(password);
  const member = await world.store.redeemSignInLink({ hash, passwordHash });
  const begun = member === null ? null : await startSession(world, member, passwordHash);
  if (begun === null) throw badLink();
  return begun;
}

/** Gives who is signed in another password, and signs that person out everywhere. */
export async function changePassword(
  world: ManageWorld,
  request: ManageRequest,
  member: Member,
  body: BodyOf<"changePassword">,
): Promise<void> {
  world.attempts.draw(request.address, member.email);
  const password = readPassword("new_password", body.new_password);
  const holders = await world.store.findPasswordHolders({ email: member.email });
  const expectedHash = holders.find((holder) => holder.member.id === member.id)?.passwordHash ?? null;
  const matches = await world.passwords.matches(body.current_password, expectedHash);
  if (!matches || expectedHash === null) throw badPassword();
  const passwordHash = await world.passwords.hash(password);
  if (!(await world.store.changePassword({ memberId: member.id, expectedHash, passwordHash }))) throw badPassword();
}

function isMeant({ member, organizationName }: PasswordHolder, { organization }: BodyOf<"signIn">): boolean {
  return organization === undefined || organization === member.organizationId || organization === organizationName;
}

/** Null when the password was changed, or the member removed, since it was checked. */
async function startSession(world: ManageWorld, member: Member, expectedHash: string): Promise<Begun | null> {
  const { store, managementSecrets, mintAccountId, clock } = world;
  const { secret, hash } = managementSecrets.mintSecret();
  const id = mintAccountId("session");
  const expiresAtMs = clock.nowMs() + SESSION_LIFETIME.absoluteMs;
  const lifetime = SESSION_LIFETIME;
  if (!(await store.startSession({ id, memberId: member.id, hash, expectedHash, lifetime }))) return null;
  return { session: { id, member, csrfToken: managementSecrets.csrfTokenOf(secret), expiresAtMs }, secret };
}

function badLink(): Refusal {
  return invalidInput("secret", "The sign-in link is not good any more: ask for a new one.");
}

function badPassword(): Refusal {
  return invalidInput("current_password", "The current password is not right.");
}
