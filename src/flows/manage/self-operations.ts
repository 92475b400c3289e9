// Operations on the principal itself: sessions, password, and the models, which everyone may list.
import { invalidInput, notFound } from "../../contract/errors.ts";
import type { ManageRole } from "../../contract/manage/roles.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { AdminToken, ListedSession } from "../../ports/store/management.ts";
import { presentMember, presentModel, presentSession } from "../accounts/present.ts";
import { SESSION_LIFETIME } from "../accounts/session-lifetime.ts";
import { changePassword } from "./sign-in.ts";
import type { AuthorizedRequest, ManageReply, Operations } from "./authorized-request.ts";
import type { SignedIn } from "./principal.ts";
import type { ManageServices } from "./services.ts";

/** The operations of the scope `self`. */
export const SELF_OPERATIONS: Operations<"self", AuthorizedRequest, ManageReply> = {
  showSession: async ({ services, principal }) => {
    const { session, token, standing } = principal;
    if (session !== null) return { body: await presentPerson(services, session), cookies: {} };
    return { body: await presentProgram(services, token, standing.role), cookies: {} };
  },
  changePassword: async (authorized, body) => {
    const { person } = requireSession(authorized);
    await changePassword(authorized.services, authorized.request, person, body);
    return { body: { done: true }, cookies: { session: null } };
  },
  signOut: async (authorized) => {
    await endSessions(authorized, [requireSession(authorized)]);
    return { body: { done: true }, cookies: { session: null } };
  },
  listSessions: async (authorized) => {
    const { id } = requireSession(authorized);
    const sessions = await listOwnSessions(authorized);
    return { body: { data: sessions.map((session) => presentSession(session, id)) }, cookies: {} };
  },
  endSessions: async (authorized) => {
    await endSessions(authorized, await listOwnSessions(authorized));
    return { body: { done: true }, cookies: { session: null } };
  },
  endSession: async (authorized) => {
    const { id } = requireSession(authorized);
    const ended = (await listOwnSessions(authorized)).find(
      (session) => session.id === authorized.request.params["session_id"],
    );
    if (ended === undefined) throw notFound();
    await endSessions(authorized, [ended]);
    return { body: { done: true }, cookies: ended.id === id ? { session: null } : {} };
  },
  listModels: async ({ services }) => ({
    body: { data: services.offer().catalog.models.map(presentModel) },
    cookies: {},
  }),
};

/** A signed-in person, with the CSRF token of the session and its end in Unix seconds. */
export async function presentPerson(services: ManageServices, session: SignedIn) {
  const { person, hasPassword, csrfToken, expiresAtMs } = session;
  const member = person.kind === "member" ? person.member : null;
  return {
    kind: "session",
    role: member?.role ?? "operator",
    organization: member === null ? null : await presentOrganizationOf(services, member.organizationId),
    member: member === null ? null : presentMember(member),
    operator: person.kind === "operator" ? { name: person.name } : null,
    has_password: hasPassword,
    token: null,
    csrf_token: csrfToken,
    expires_at: secondsOf(expiresAtMs),
  };
}

async function presentProgram(services: ManageServices, token: AdminToken | null, role: ManageRole) {
  const organizationId = token?.organizationId ?? null;
  return {
    kind: "token",
    role,
    organization: organizationId === null ? null : await presentOrganizationOf(services, organizationId),
    member: null,
    operator: null,
    has_password: false,
    token: token === null ? null : { id: token.id, name: token.name },
    csrf_token: null,
    expires_at: null,
  };
}

async function presentOrganizationOf({ store }: ManageServices, organizationId: string) {
  const organization = await store.findOrganization({ idOrName: organizationId });
  return organization === null ? null : { id: organization.id, name: organization.name };
}

/** The sessions of the person who asks: of an operator, those of the same name. */
async function listOwnSessions(authorized: AuthorizedRequest): Promise<readonly ListedSession[]> {
  const { person } = requireSession(authorized);
  const { store } = authorized.services;
  const memberId = person.kind === "member" ? person.member.id : null;
  const sessions = await store.listSessions({ memberId, lifetime: SESSION_LIFETIME });
  return person.kind === "member" ? sessions : sessions.filter(({ operator }) => operator === person.name);
}

function endSessions({ services, admin }: AuthorizedRequest, sessions: readonly { readonly id: string }[]) {
  return services.store.endSessions({ by: admin.by, ids: sessions.map(({ id }) => id) });
}

function requireSession({ principal }: AuthorizedRequest): SignedIn {
  if (principal.session !== null) return principal.session;
  throw invalidInput(null, "A token has no session and no password. To end a token, revoke it.");
}
