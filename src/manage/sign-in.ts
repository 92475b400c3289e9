// Signing in by password and by link; setting and changing a password. @spec authentication
import Type from "typebox";
import { invalidInput, ApiError } from "../contract/errors.ts";
import { EMAIL_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "../contract/manage/limits.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { readEmail, readPassword } from "../core/access/account-fields.ts";
import { isEmergencyRole, type SignInPolicy } from "../core/access/single-sign-on.ts";
import { assertNotCrossSite } from "../flows/manage/same-origin.ts";
import { type ManageServices, originOf } from "../flows/manage/services.ts";
import type { Member } from "../ports/store/accounts.ts";
import { Done, text } from "./fields.ts";
import { publicOperation, serviceOperation } from "./definition/operation.ts";
import { requireSession, Session, startSession } from "./session.ts";

const password = (description: string) => text(description, PASSWORD_CHARACTERS_MAX);
const newPassword = (description: string) => text(description, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN);

/**
 * Throws 401 `invalid_api_key` with the same message, and after the same time, for a wrong e-mail address, password or
 * organization.
 */
export const signIn = publicOperation({
  route: "POST /session",
  summary: "Sign in with e-mail address and password",
  description: "Sets the session cookie. A session ends after 12 hours without use, and after 7 days at the latest.",
  input: {
    email: text("the e-mail address", EMAIL_CHARACTERS_MAX),
    password: password("the password"),
    organization: Type.Optional(
      text("the organization, by id or name; required if the person is a member of several organizations"),
    ),
  },
  output: { Session },
  async run(context, { email: given, password: presented, organization }) {
    const { services, request } = context;
    const { store, passwords, attempts, log } = services;
    assertNotCrossSite(request, originOf(services, request));
    assertPasswords(services);
    const email = readEmail(given);
    await attempts.draw(request.address, email);
    const [holder, ...others] = (await store.findPasswordHolders({ email })).filter(
      ({ member, organizationName }) =>
        organization === undefined || [member.organizationId, organizationName].includes(organization),
    );
    const chosen = holder !== undefined && others.length === 0 ? holder : null;
    const matches = await passwords.matches(presented, chosen?.passwordHash ?? null);
    if (chosen !== null && matches) {
      const { member, passwordHash } = chosen;
      const start = { memberId: member.id, expectedHash: passwordHash };
      const started = await startSession(context, (session) => store.startSession({ ...start, session }));
      // Null: the password was changed or the member removed since the check.
      if (started !== null) return started;
    }
    log.info("manage.sign_in_refused", { address: request.address });
    throw new ApiError(
      "invalid_api_key",
      "Wrong e-mail address, password or organization. A member of several organizations must name one.",
    );
  },
});

export const redeemSignInLink = publicOperation({
  route: "POST /sign-in-links/redeem",
  summary: "Sign in with a sign-in link",
  description:
    "The link works once. A member's other sessions end, and a `password` that is sent becomes the member's. Operators have no password.",
  input: {
    secret: text("the secret of the sign-in link"),
    password: Type.Optional(
      newPassword("the new password of a member, 12 characters or more; without it nothing changes"),
    ),
  },
  body: { name: "RedeemBody" },
  output: { Session },
  async run(context, { secret, password: given }) {
    const { services, request } = context;
    const { store, passwords, managementSecrets, singleSignOn } = services;
    assertNotCrossSite(request, originOf(services, request));
    await services.attempts.draw(request.address, null);
    if (given !== undefined) assertPasswords(services);
    const chosen = given === undefined ? null : readPassword("password", given);
    const hash = managementSecrets.hashSecret(secret);
    // Before the expensive password hash, so that guessing links costs nothing.
    const person = await store.findSignInLink({ hash });
    if (person === null) throw linkError();
    if (person.kind === "member" && singleSignOn?.policy.isOnlyWay && !isEmergencyRole(person.member.role)) {
      throw onlyWayError(singleSignOn.policy);
    }
    if (person.kind === "operator" && chosen !== null) {
      throw invalidInput("password", "An operator has no password: leave it out.");
    }
    const passwordHash = chosen === null ? null : await passwords.hash(chosen);
    const started = await startSession(context, (session) => store.redeemSignInLink({ hash, passwordHash, session }));
    if (started === null) throw linkError();
    return started;
  },
});

export const changePassword = serviceOperation({
  route: "POST /session/password",
  scope: "self",
  roles: EVERYBODY,
  summary: "Change the password",
  description: "Signs the person out everywhere. A person without a password sets the first one.",
  input: {
    current_password: Type.Optional(password("the current password; not needed if there is none yet")),
    new_password: newPassword("the new password, 12 characters or more"),
  },
  output: { Done },
  errors: ["rate_limit_exceeded"],
  async run(context, { current_password: current, new_password: next }) {
    const { services, request, setCookies } = context;
    const { person } = requireSession(context);
    assertPasswords(services);
    if (person.kind === "operator") throw invalidInput(null, "An operator has no password.");
    const { member } = person;
    await services.attempts.draw(request.address, member.email);
    const chosen = readPassword("new_password", next);
    const expectedHash = current === undefined ? null : await checkPassword(services, member, current);
    const passwordHash = await services.passwords.hash(chosen);
    if (!(await services.store.changePassword({ memberId: member.id, expectedHash, passwordHash }))) {
      if (expectedHash !== null) throw passwordError();
      throw invalidInput("current_password", "current_password is missing: you have a password already.");
    }
    setCookies({ session: null });
    return { done: true };
  },
});

/** The hash of a member's password; throws 400 if it is another one. */
async function checkPassword({ store, passwords }: ManageServices, member: Member, given: string): Promise<string> {
  const holders = await store.findPasswordHolders({ email: member.email });
  const hash = holders.find((holder) => holder.member.id === member.id)?.passwordHash ?? null;
  const matches = await passwords.matches(given, hash);
  if (!matches || hash === null) throw passwordError();
  return hash;
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

function passwordError(): ApiError {
  return invalidInput("current_password", "The current password is wrong.");
}
