// Members: the people of an organization, the links with which they sign in, and their sessions. @spec authentication
import Type, { type Static } from "typebox";
import { definedOf } from "../base/defined.ts";
import { invalidInput, notFound } from "../contract/errors.ts";
import { ACCOUNTS_PAGE_MAX, EMAIL_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { EVERYBODY, MANAGERS, MEMBER_ROLES } from "../contract/manage/roles.ts";
import { NONE } from "../contract/money.ts";
import { oneOf } from "../contract/shapes.ts";
import { emailOf } from "../core/access/account-fields.ts";
import * as members from "../flows/accounts/members.ts";
import { SESSION_LIFETIME } from "../flows/accounts/session-lifetime.ts";
import type * as stored from "../ports/store/accounts.ts";
import { accountsPage, Done, list, listPage, presentPage, text } from "./fields.ts";
import type { Context, OrganizationContext } from "./definition/context.ts";
import { type CallOperation, operation, type Subject } from "./definition/operation.ts";
import { link, ListedSession, presentSession } from "./listed-session.ts";

const memberRole = oneOf(MEMBER_ROLES);
/** Tokens outlive the sessions of the person who made them, unless they end together. */
const tokens = Type.Optional(
  Type.Boolean({ description: "true: also revoke the management tokens that the person made" }),
);
const TOKENS = { help: "also revoke the management tokens that the person made" };
const keys = Type.Optional(Type.Boolean({ description: "true: also revoke the person's API keys" }));
const KEYS = { help: "also revoke the person's API keys" };
const ROLE = { help: "what the person may do" };

export const Member = Type.Object({ id: Type.String(), email: Type.String(), role: memberRole });

/** A member of an organization. */
export function presentMember({ id, email, role }: stored.Member): Static<typeof Member> {
  return { id, email, role };
}

/** A command names the person by e-mail address too. */
const NAMED = {
  flags: "[member]",
  help: "the person, by id or e-mail address",
  aliases: {
    "--member <member>": "the person, instead of the argument",
    "--email <email>": "the person's e-mail address, instead of the argument",
  },
};

async function complete({ member_id: named = "" }: { readonly member_id?: string }, call: CallOperation) {
  const id = await findId(named, call);
  if (id === null) throw notFound();
  return { member_id: id };
}

/** The member of a filter, on a command. */
export const MEMBER = {
  help: `only keys of a member, by id or e-mail address; ${NONE}: keys without a member`,
};

/** Finds the member of a filter by e-mail address. Throws 400 `invalid_input` for one that nobody has. */
export async function completeMember({ member }: { readonly member?: string }, call: CallOperation) {
  if (member === undefined) return {};
  const id = await findId(member, call);
  if (id === null) throw invalidInput("member", `There is no member "${member}"; \`members list\` shows them.`);
  return { member: id };
}

/** The id of the member with this e-mail address, null for none; what is no address is an id. */
async function findId(named: string, call: CallOperation): Promise<string | null> {
  const email = emailOf(named);
  let page = email === null ? null : await call(listMembers, { limit: ACCOUNTS_PAGE_MAX });
  while (page !== null) {
    const found = page.data.find((member) => member.email === email);
    if (found !== undefined) return found.id;
    const after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return null;
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    page = await call(listMembers, { limit: ACCOUNTS_PAGE_MAX, after });
  }
  return named;
}

const listMembers = operation({
  route: "GET /organizations/:organization_id/members",
  roles: EVERYBODY,
  summary: "List the members",
  command: {
    words: "members list",
    whenEmpty: "There is no member, or none further.",
  },
  input: accountsPage,
  output: { MemberList: listPage(Member) },
  async run({ store, organization }, { limit, after = null }) {
    const found = await store.pageMembers({ organizationId: organization.id, after, limit: limit + 1 });
    if (found === null) throw invalidInput("after", "after names no member of the organization.");
    return presentPage(found, limit, presentMember);
  },
});

const addMember = operation({
  route: "POST /organizations/:organization_id/members",
  roles: MANAGERS,
  summary: "Add a member",
  description: "Only an owner can add an owner.",
  command: { words: "members add", options: { role: ROLE } },
  input: { email: text("the person's e-mail address", EMAIL_CHARACTERS_MAX), role: memberRole },
  output: { Member },
  run: async (context, add) =>
    presentMember(await members.addMember(context, { organizationId: context.organization.id, ...add })),
});

const setMemberRole = operation({
  route: "POST /organizations/:organization_id/members/:member_id",
  roles: MANAGERS,
  summary: "Change a member's role",
  description:
    "Only an owner can change who is an owner; the last owner keeps the role. A sign-in link that was made before is void.",
  command: { words: "members role", options: { member_id: NAMED, role: ROLE }, complete },
  input: { role: memberRole },
  body: { name: "RoleBody" },
  output: { Member },
  run: async (context, { member_id: id, role: given }) =>
    presentMember(await members.setMemberRole(context, await getMember(context, id), given)),
});

const removeMember = operation({
  route: "DELETE /organizations/:organization_id/members/:member_id",
  roles: MANAGERS,
  summary: "Remove a member",
  description:
    "The person is signed out everywhere. Their keys stay valid, without an owner, unless `keys` is true, and so do the tokens that they made, unless `tokens` is. The last owner cannot be removed.",
  command: { words: "members remove", options: { member_id: NAMED, keys: KEYS, tokens: TOKENS }, complete },
  input: { keys, tokens },
  body: { isOptional: true },
  output: { Member },
  async run(context, { member_id: id, keys: endsKeys = false, tokens: endsTokens = false }) {
    const member = await getMember(context, id);
    await members.removeMember(context, member, { endsKeys, endsTokens });
    return presentMember(member);
  },
});

const createSignInLink = operation({
  route: "POST /organizations/:organization_id/members/:member_id/sign-in-link",
  roles: MANAGERS,
  summary: "Create a sign-in link for a member",
  description: "Valid once, for 24 hours; it replaces an earlier link. Only an owner can create one for an owner.",
  command: {
    words: "members sign-in-link",
    help: "create a link, shown once, that signs a person in and lets them set a password",
    options: { member_id: NAMED },
    complete,
  },
  output: { SignInLink: Type.Object({ member: Member, ...link }) },
  async run(context, { member_id: id }) {
    const member = await getMember(context, id);
    return { member: presentMember(member), ...(await members.createSignInLink(context, member)) };
  },
});

const listMemberSessions = operation({
  route: "GET /organizations/:organization_id/members/:member_id/sessions",
  roles: MANAGERS,
  summary: "List the sessions of a member",
  description: "Newest first. Only an owner can list those of an owner.",
  command: {
    words: "members sessions",
    options: { member_id: NAMED },
    complete,
    whenEmpty: "The person is not signed in.",
  },
  output: { SessionList: list(ListedSession) },
  async run(context, { member_id: id }) {
    const sessions = await listSessions(context, await getMember(context, id));
    return { data: sessions.map((session) => presentSession(session, context.session?.id ?? null)) };
  },
});

const endMemberSession = operation({
  route: "DELETE /organizations/:organization_id/members/:member_id/sessions/:session_id",
  roles: MANAGERS,
  summary: "End one of a member's sessions",
  description: "Only an owner can end one of an owner.",
  output: { Done },
  run: (context, { member_id: id, session_id: sessionId }) => endSessions(context, id, sessionId),
});

const endMemberSessions = operation({
  route: "DELETE /organizations/:organization_id/members/:member_id/sessions",
  roles: MANAGERS,
  summary: "Sign a member out everywhere",
  description: "Only an owner can sign out an owner.",
  command: {
    words: "members end-sessions",
    help: "end the sessions of a person at once",
    options: { member_id: NAMED, tokens: TOKENS },
    variants: {
      session_id: {
        operation: endMemberSession,
        flags: "--session <session>",
        help: "the id of one session; default: all of them",
      },
    },
    complete,
  },
  input: { tokens },
  body: { isOptional: true },
  output: { Done },
  run: (context, { member_id: id, tokens: endsTokens = false }) => endSessions(context, id, null, endsTokens),
});

/** The member in the path. Throws the same 404 for an unknown member and for one of another organization. */
async function getMember({ store, organization }: OrganizationContext, id: string): Promise<stored.Member> {
  const found = await store.listMembers({ organizationId: organization.id });
  const member = found.find((one) => one.id === id);
  if (member === undefined) throw notFound();
  return member;
}

function listSessions({ store, role: own }: Context, member: stored.Member) {
  members.assertMayHandle(own, member.role);
  return store.listSessions({ memberId: member.id, lifetime: SESSION_LIFETIME });
}

/** Ends all sessions, or the one of that id: 404 if there is no such one. */
async function endSessions(
  context: OrganizationContext,
  memberId: string,
  sessionId: string | null,
  endsTokens = false,
) {
  const { store, by } = context;
  const member = await getMember(context, memberId);
  const all = (await listSessions(context, member)).map(({ id }) => id);
  const ids = all.filter((id) => sessionId === null || id === sessionId);
  const { organizationId, role: expectedRole } = member;
  const tokensOf = endsTokens ? ({ kind: "member", id: memberId } as const) : undefined;
  const of = { organizationId, memberId, expectedRole };
  await store.endSessions({ by, ids, of, ...definedOf({ tokensOf }) });
  if (sessionId !== null && ids.length === 0) throw notFound();
  return { done: true };
}

/** In the order of their commands. */
export const MEMBERS = {
  tag: "Members",
  about: "the people of an organization",
  operations: {
    addMember,
    removeMember,
    setMemberRole,
    createSignInLink,
    listMemberSessions,
    endMemberSessions,
    endMemberSession,
    listMembers,
  },
} as const satisfies Subject;
