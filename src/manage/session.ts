// The session of a person: how it starts, and how it is shown.
import Type, { type Static } from "typebox";
import { invalidInput } from "../contract/errors.ts";
import { TOKEN_PERMISSIONS } from "../contract/manage/key-options.ts";
import { MANAGE_ROLES } from "../contract/manage/roles.ts";
import { baseUrl, time, usdPerCredit } from "../contract/manage/resource-fields.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { SESSION_LIFETIME } from "../flows/accounts/session-lifetime.ts";
import type { SignedIn } from "../flows/manage/principal.ts";
import type { ManageServices } from "../flows/manage/services.ts";
import { secondsOf } from "../ports/clock.ts";
import type { FoundSession, NewSession } from "../ports/store/management.ts";
import { Member, presentMember } from "./members.ts";
import type { PublicContext, ServiceContext } from "./definition/context.ts";

const Named = Type.Object({ id: Type.String(), name: Type.String() });

export const Session = Type.Object({
  kind: oneOf(["session", "token"]),
  role: oneOf(MANAGE_ROLES),
  organization: orNull(Named),
  member: orNull(Member),
  operator: orNull(Type.Object({ name: Type.String() })),
  has_password: Type.Boolean({ description: "whether the member has a password; false for operators and tokens" }),
  token: orNull(Named),
  csrf_token: orNull(
    Type.String({ description: "the value of the header `x-csrf-token` for requests that change something" }),
  ),
  permissions: oneOf(TOKEN_PERMISSIONS, "`read`: a token that may change nothing"),
  expires_at: orNull(time("the end of the session or of the token, Unix seconds; null: none")),
  usd_per_credit: usdPerCredit,
  base_url: baseUrl,
});
type Session = Static<typeof Session>;

/** Starts a session, in which the store proves who the person is, and gives it to the browser: null if it does not. */
export async function startSession(
  { services, request: { address, userAgent }, setCookies }: PublicContext,
  start: (session: NewSession) => Promise<FoundSession | null>,
): Promise<Session | null> {
  const { managementSecrets, mintAccountId } = services;
  const { secret, hash } = managementSecrets.mintSecret();
  const found = await start({ id: mintAccountId("session"), hash, lifetime: SESSION_LIFETIME, address, userAgent });
  if (found === null) return null;
  setCookies({ session: secret });
  return presentPerson(services, { ...found, csrfToken: managementSecrets.csrfTokenOf(secret) });
}

/** A signed-in person, with the CSRF token of the session and its end. */
export async function presentPerson(
  services: Pick<ManageServices, "store" | "configuration" | "baseUrl">,
  session: SignedIn,
): Promise<Session> {
  const { person, hasPassword, csrfToken, expiresAtMs } = session;
  const member = person.kind === "member" ? person.member : null;
  return {
    kind: "session",
    role: member?.role ?? "operator",
    organization: member === null ? null : await nameOrganization(services, member.organizationId),
    member: member === null ? null : presentMember(member),
    operator: person.kind === "operator" ? { name: person.name } : null,
    has_password: hasPassword,
    token: null,
    csrf_token: csrfToken,
    permissions: "all",
    expires_at: secondsOf(expiresAtMs),
    usd_per_credit: services.configuration.show().usd_per_credit,
    base_url: services.baseUrl(),
  };
}

/** Id and name of the caller's organization. */
export async function nameOrganization({ store }: Pick<ManageServices, "store">, organizationId: string) {
  const organization = await store.findOrganization({ idOrName: organizationId });
  return organization === null ? null : { id: organization.id, name: organization.name };
}

/** The session of a person. Throws 400 `invalid_input` for a program. */
export function requireSession({ session }: Pick<ServiceContext, "session">): SignedIn {
  if (session !== null) return session;
  throw invalidInput(null, "A token has no session and no password. To end a token, revoke it.");
}
