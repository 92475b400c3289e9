// What is about who asks.
import { invalidInput } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import type { ManageRole } from "../../contract/manage/roles.ts";
import type { OperationOf } from "../../contract/manage/routes.ts";
import type { AdminToken } from "../../ports/management.ts";
import { showMember, showModel } from "../accounts/shapes.ts";
import { changePassword } from "./sign-in.ts";
import type { ManageReply, Visit } from "./visit.ts";
import type { SignedIn } from "./visitor.ts";
import type { ManageWorld } from "./world.ts";

type SelfOperations = {
  readonly [Operation in OperationOf<"self">]: (visit: Visit, body: BodyOf<Operation>) => Promise<ManageReply>;
};

export const SELF_OPERATIONS: SelfOperations = {
  showSession: async ({ world, visitor }) => {
    const { session, token, standing } = visitor;
    if (session !== null) return { body: await showPerson(world, session) };
    return { body: await showProgram(world, token, standing.role) };
  },
  changePassword: async (visit, body) => {
    const { member } = needSession(visit);
    await changePassword(visit.world, visit.request, member, body);
    return { body: { done: true }, cookie: { kind: "clear" } };
  },
  signOut: async (visit) => {
    await visit.world.store.endSession({ id: needSession(visit).id });
    return { body: { done: true }, cookie: { kind: "clear" } };
  },
  listModels: async ({ world }) => ({ body: { data: world.catalog.models.map(showModel) } }),
};

/** A person who is signed in. */
export async function showPerson(world: ManageWorld, { member, csrfToken, expiresAtMs }: SignedIn) {
  return {
    kind: "session",
    role: member.role,
    organization: await showPlace(world, member.organizationId),
    member: showMember(member),
    token: null,
    csrf_token: csrfToken,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
}

async function showProgram(world: ManageWorld, token: AdminToken | null, role: ManageRole) {
  const organizationId = token?.organizationId ?? null;
  return {
    kind: "token",
    role,
    organization: organizationId === null ? null : await showPlace(world, organizationId),
    member: null,
    token: token === null ? null : { id: token.id, name: token.name },
    csrf_token: null,
    expires_at: null,
  };
}

async function showPlace({ store }: ManageWorld, organizationId: string) {
  const organization = await store.findOrganization({ idOrName: organizationId });
  return organization === null ? null : { id: organization.id, name: organization.name };
}

function needSession({ visitor }: Visit): SignedIn {
  if (visitor.session !== null) return visitor.session;
  throw invalidInput(null, "A token has no session and no password: revoke it in place of signing out.");
}
