// What is about one organization: its settings, money, people, keys and tokens.
import { invalidInput, notFound } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import type { OperationOf } from "../../contract/manage/routes.ts";
import type { ApiKey, Member, Organization } from "../../ports/accounts.ts";
import type { AdminToken } from "../../ports/management.ts";
import { listAudit } from "./audit-page.ts";
import { createKey, revokeKey, rotateKey } from "../accounts/keys.ts";
import {
  addMember,
  createSignInLink,
  findMember,
  refuseHandling,
  removeMember,
  setMemberRole,
} from "../accounts/members.ts";
import { addCredits, readAmount, readModels, renameOrganization } from "../accounts/organizations.ts";
import { showKey, showMember, showOrganization, showToken } from "../accounts/shapes.ts";
import { clearBudget, listBudgets, readUsage, setBudget } from "./spending.ts";
import { createToken, revokeToken } from "../accounts/tokens.ts";
import type { ManageReply, OrganizationVisit } from "./visit.ts";

type OrganizationOperations = {
  readonly [Operation in OperationOf<"organization">]: (
    visit: OrganizationVisit,
    body: BodyOf<Operation>,
  ) => Promise<ManageReply>;
};

export const ORGANIZATION_OPERATIONS: OrganizationOperations = {
  showOrganization: async ({ organization }) => show(organization),
  renameOrganization: async ({ desk, organization }, { name }) =>
    show(await renameOrganization(desk, organization.id, name)),
  suspendOrganization: (visit) => update(visit, { suspended: true }),
  resumeOrganization: (visit) => update(visit, { suspended: false }),
  setPaymentMethod: (visit) => update(visit, { paymentMethod: true }),
  clearPaymentMethod: (visit) => update(visit, { paymentMethod: false }),
  startPlan: (visit) => update(visit, { plan: true }),
  stopPlan: (visit) => update(visit, { plan: false }),
  setPolicy: (visit, { allow_models: allow, deny_models: deny, tool_calls_per_turn: toolCalls }) => {
    const { catalog } = visit.world;
    const policy = {
      ...(allow === undefined
        ? {}
        : { allowModels: allow === null ? null : readModels("allow_models", allow, catalog) }),
      ...(deny === undefined ? {} : { denyModels: readModels("deny_models", deny, catalog) }),
      ...(toolCalls === undefined ? {} : { toolCallsPerTurn: toolCalls }),
    };
    return update(visit, { policy });
  },
  setLimits: (visit, body) => {
    const { create_per_minute, retrieve_per_minute, delete_per_minute, open_streams } = body;
    const limits = {
      ...(create_per_minute === undefined ? {} : { createPerMinute: create_per_minute }),
      ...(retrieve_per_minute === undefined ? {} : { retrievePerMinute: retrieve_per_minute }),
      ...(delete_per_minute === undefined ? {} : { deletePerMinute: delete_per_minute }),
      ...(open_streams === undefined ? {} : { openStreams: open_streams }),
    };
    return update(visit, { limits });
  },

  showCredits: async ({ organization }) => show(organization),
  addCredits: async ({ desk, organization }, { amount, transaction_id: transactionId }) =>
    show(await addCredits(desk, organization.id, { amountNano: readAmount("amount", amount), transactionId })),
  listBudgets,
  setBudget,
  clearBudget,
  readUsage,

  listMembers: async ({ world, organization }) => ({
    body: { data: (await world.store.listMembers({ organizationId: organization.id })).map(showMember) },
  }),
  addMember: async ({ desk, visitor, organization }, body) => ({
    body: showMember(await addMember(desk, visitor.standing.role, { organizationId: organization.id, ...body })),
  }),
  setMemberRole: async (visit, { role }) => {
    const { desk, visitor } = visit;
    return { body: showMember(await setMemberRole(desk, visitor.standing.role, await memberOf(visit), role)) };
  },
  removeMember: async (visit) => {
    const member = await memberOf(visit);
    await removeMember(visit.desk, visit.visitor.standing.role, member);
    return { body: showMember(member) };
  },
  createSignInLink: async (visit) => {
    const member = await memberOf(visit);
    const { secret, url, expiresAt } = await createSignInLink(visit.desk, visit.visitor.standing.role, member);
    return { body: { member: showMember(member), secret, url, expires_at: expiresAt } };
  },

  listKeys: async ({ world, visitor, organization }) => {
    const keys = await world.store.listKeys({ organizationId: organization.id });
    // A member sees the member's own.
    const isMember = visitor.standing.role === "member";
    const visible = isMember ? keys.filter((key) => isOwn(key.memberId, visitor.session?.member)) : keys;
    return { body: { data: visible.map(showKey) } };
  },
  createKey: async ({ desk, organization }, { name, member: idOrEmail, permissions: permission = "all" }) => {
    const member = idOrEmail === undefined ? null : await findMember(desk, organization.id, idOrEmail);
    if (idOrEmail !== undefined && member === null) {
      throw invalidInput("member", `member is "${idOrEmail}"; allowed: a member of the organization, by id or e-mail.`);
    }
    const create = { organizationId: organization.id, memberId: member?.id ?? null, name, permission };
    const { key, secret } = await createKey(desk, create);
    return { body: { id: key.id, name: key.name, secret } };
  },
  rotateKey: async (visit, { grace = "none" }) => ({
    body: await rotateKey(visit.desk, (await keyOf(visit)).id, grace),
  }),
  revokeKey: async (visit) => ({ body: await revokeKey(visit.desk, (await keyOf(visit)).id) }),

  listTokens: async ({ world, organization }) => ({
    body: { data: (await world.store.listTokens({ organizationId: organization.id })).map(showToken) },
  }),
  createToken: async ({ desk, visitor, organization }, { name, role }) => {
    refuseHandling(visitor.standing.role, role);
    const { token, secret } = await createToken(desk, { organizationId: organization.id, role }, name);
    return { body: { id: token.id, name: token.name, secret } };
  },
  revokeToken: async (visit) => {
    const { id, role } = await tokenOf(visit);
    if (role !== null) refuseHandling(visit.visitor.standing.role, role);
    return { body: await revokeToken(visit.desk, id) };
  },

  listAudit: async ({ world, organization, request }) => ({
    body: await listAudit(world.store, organization.id, request.readQuery()),
  }),
};

type Update = Omit<Parameters<OrganizationVisit["desk"]["store"]["updateOrganization"]>[0], "by" | "organizationId">;

async function update({ desk, organization }: OrganizationVisit, change: Update): Promise<ManageReply> {
  return show(await desk.store.updateOrganization({ by: desk.by, organizationId: organization.id, ...change }));
}

function show(organization: Organization): ManageReply {
  return { body: showOrganization(organization) };
}

function isOwn(memberId: string | null, member: Member | undefined): boolean {
  return member !== undefined && memberId === member.id;
}

/** The member that the path names; refuses with the uniform 404 one of another organization like one that never was. */
async function memberOf({ world, organization, request }: OrganizationVisit): Promise<Member> {
  const members = await world.store.listMembers({ organizationId: organization.id });
  const member = members.find(({ id }) => id === request.params["member_id"]);
  if (member === undefined) throw notFound();
  return member;
}

/** The key that the path names, likewise. */
async function keyOf({ world, organization, request }: OrganizationVisit): Promise<ApiKey> {
  const key = await world.store.findKeyById({ keyId: request.params["key_id"] ?? "" });
  if (key === null || key.organizationId !== organization.id) throw notFound();
  return key;
}

/** The token that the path names, likewise. */
async function tokenOf({ world, organization, request }: OrganizationVisit): Promise<AdminToken> {
  const token = await world.store.findTokenById({ tokenId: request.params["token_id"] ?? "" });
  if (token === null || token.organizationId !== organization.id) throw notFound();
  return token;
}
