// Operations on the principal itself: session, password, and the models, which everyone may list.
import { invalidInput } from "../../contract/errors.ts";
import type { ManageRole } from "../../contract/manage/roles.ts";
import type { AdminToken } from "../../ports/store/management.ts";
import { presentMember, presentModel } from "../accounts/present.ts";
import { changePassword } from "./sign-in.ts";
import type { AuthorizedRequest, ManageReply, Operations } from "./authorized-request.ts";
import type { SignedIn } from "./principal.ts";
import type { ManageServices } from "./services.ts";

export const SELF_OPERATIONS: Operations<"self", AuthorizedRequest, ManageReply> = {
  showSession: async ({ services, principal }) => {
    const { session, token, standing } = principal;
    if (session !== null) return { body: await presentPerson(services, session) };
    return { body: await presentProgram(services, token, standing.role) };
  },
  changePassword: async (authorized, body) => {
    const { member } = requireSession(authorized);
    await changePassword(authorized.services, authorized.request, member, body);
    return { body: { done: true }, cookie: { kind: "clear" } };
  },
  signOut: async (authorized) => {
    await authorized.services.store.endSession({ id: requireSession(authorized).id });
    return { body: { done: true }, cookie: { kind: "clear" } };
  },
  listModels: async ({ services }) => ({ body: { data: services.catalog.models.map(presentModel) } }),
};

export async function presentPerson(services: ManageServices, { member, csrfToken, expiresAtMs }: SignedIn) {
  return {
    kind: "session",
    role: member.role,
    organization: await presentOrganizationOf(services, member.organizationId),
    member: presentMember(member),
    token: null,
    csrf_token: csrfToken,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
}

async function presentProgram(services: ManageServices, token: AdminToken | null, role: ManageRole) {
  const organizationId = token?.organizationId ?? null;
  return {
    kind: "token",
    role,
    organization: organizationId === null ? null : await presentOrganizationOf(services, organizationId),
    member: null,
    token: token === null ? null : { id: token.id, name: token.name },
    csrf_token: null,
    expires_at: null,
  };
}

async function presentOrganizationOf({ store }: ManageServices, organizationId: string) {
  const organization = await store.findOrganization({ idOrName: organizationId });
  return organization === null ? null : { id: organization.id, name: organization.name };
}

function requireSession({ principal }: AuthorizedRequest): SignedIn {
  if (principal.session !== null) return principal.session;
  throw invalidInput(null, "A token has no session and no password. To end a token, revoke it.");
}
