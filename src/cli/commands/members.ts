// turngate members …
import { type Command, Option } from "commander";
import { readEmail } from "../../core/access/account-fields.ts";
import {
  addMember,
  createSignInLink,
  endMemberSessions,
  listMemberSessions,
  removeMember,
  setMemberRole,
} from "../../flows/accounts/members.ts";
import { ACCOUNTS_PAGE_DEFAULT, ACCOUNTS_PAGE_MAX } from "../../contract/manage/limits.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/manage/roles.ts";
import type { Member } from "../../ports/store/accounts.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { listMembers } from "../../flows/manage/account-pages.ts";
import { limitOption, type OrganizationOptions, ORGANIZATION } from "./options.ts";
import { printsList, printsRecord } from "./output.ts";
import { presentMember, presentSession } from "../../flows/accounts/present.ts";
import { queryOf } from "./queries.ts";
import { type CommandServices, findMember, withOrganization } from "./with-store.ts";

/** A member is named by id or e-mail address: as argument, with --member, or with --email. */
interface MemberOptions extends OrganizationOptions {
  readonly member?: string;
  readonly email?: string;
}

export function addMembers(program: Command): void {
  const members = program.command("members").description("the people of an organization");

  members
    .command("add")
    .description("add a person to an organization")
    .requiredOption(...ORGANIZATION)
    .requiredOption("--email <email>", "the person's e-mail address")
    .addOption(roleOption())
    .action(printsRecord(add));
  namesMember(members.command("remove").description("remove a person from an organization")).action(
    printsRecord(remove),
  );
  namesMember(members.command("role").description("change a person's role"))
    .addOption(roleOption())
    .action(printsRecord(setRole));
  namesMember(
    members
      .command("sign-in-link")
      .description("create a link, shown once, that signs a person in and lets them set a password"),
  ).action(printsRecord(makeSignInLink));
  namesMember(members.command("sessions").description("list the sessions of a person")).action(
    printsList("The person is not signed in.", listSessions),
  );
  namesMember(members.command("end-sessions").description("end the sessions of a person at once"))
    .option("--session <session>", "the id of one session; default: all of them")
    .action(printsRecord(endSessions));
  members
    .command("list")
    .description("list the people of an organization")
    .requiredOption(...ORGANIZATION)
    .addOption(limitOption("people", ACCOUNTS_PAGE_MAX, ACCOUNTS_PAGE_DEFAULT))
    .option("--after <member>", "only people after this one, by id")
    .action(printsList("There is no member, or none further.", list));
}

function roleOption(): Option {
  return new Option("--role <role>", "what the person may do").choices([...MEMBER_ROLES]).makeOptionMandatory();
}

function namesMember(command: Command): Command {
  return command
    .argument("[member]", "the person, by id or e-mail address")
    .requiredOption(...ORGANIZATION)
    .option("--member <member>", "the person, instead of the argument")
    .option("--email <email>", "the person's e-mail address, instead of the argument");
}

async function add({ org, email: given, role }: OrganizationOptions & { email: string; role: MemberRole }) {
  const email = readEmail(given);
  const member = await withOrganization(org, (services, { id: organizationId }) =>
    addMember(services, { organizationId, email, role }),
  );
  return presentMember(member);
}

function remove(named: string | undefined, options: MemberOptions) {
  return withMember(named, options, async (services, member) => {
    await removeMember(services, member);
    return presentMember(member);
  });
}

async function setRole(named: string | undefined, options: MemberOptions & { role: MemberRole }) {
  return presentMember(
    await withMember(named, options, (services, member) => setMemberRole(services, member, options.role)),
  );
}

async function list(options: OrganizationOptions) {
  const query = queryOf("listMembers", options);
  return (await withOrganization(options.org, ({ store }, { id }) => listMembers(store, id, query))).data;
}

function makeSignInLink(named: string | undefined, options: MemberOptions) {
  return withMember(named, options, createSignInLink);
}

async function listSessions(named: string | undefined, options: MemberOptions) {
  const sessions = await withMember(named, options, listMemberSessions);
  return sessions.map((session) => presentSession(session, null));
}

function endSessions(named: string | undefined, options: MemberOptions & { session?: string }) {
  return withMember(named, options, async (services, member) => {
    const count = await endMemberSessions(services, member, options.session);
    if (count > 0 || options.session === undefined) return { member: presentMember(member), ended: count };
    throw new OperatorError(`the person has no session "${options.session}"; \`members sessions\` lists them.`);
  });
}

function withMember<T>(
  named: string | undefined,
  options: MemberOptions,
  work: (services: CommandServices, member: Member) => Promise<T>,
): Promise<T> {
  const [idOrEmail, ...others] = [named, options.member, options.email].filter((name) => name !== undefined);
  if (idOrEmail === undefined) throw new OperatorError("no member is named: give an id or e-mail address.");
  if (others.length > 0) throw new OperatorError("several members are named: give one id or e-mail address.");
  return withOrganization(options.org, async (services, organization) =>
    work(services, await findMember(services.store, organization, idOrEmail)),
  );
}
