// turngate members …
import { type Command, Option } from "commander";
import { readEmail } from "../../core/accounts/account-fields.ts";
import { addMember, createSignInLink, removeMember, setMemberRole } from "../../flows/accounts/members.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/manage/roles.ts";
import type { Member } from "../../ports/accounts.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, type OrganizationOptions, organizationOption } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { showMember } from "../../flows/accounts/shapes.ts";
import { type CommandWorld, findMember, findOrganization, withStore } from "./with-store.ts";

/** A member is named by id or e-mail address: behind the command, with --member, or with --email. */
interface MemberOptions extends OrganizationOptions {
  readonly member?: string;
  readonly email?: string;
}

export function addMembers(program: Command): void {
  const members = program.command("members").description("the people of an organization");

  members
    .command("add")
    .description("add a person to an organization")
    .addOption(organizationOption())
    .requiredOption("--email <email>", "the person's e-mail address")
    .addOption(roleOption())
    .addOption(jsonOption())
    .action(add);
  namesMember(members.command("remove").description("take a person out of an organization")).action(remove);
  namesMember(members.command("role").description("give a person another role"))
    .addOption(roleOption())
    .action(setRole);
  namesMember(
    members
      .command("sign-in-link")
      .description("make a link, shown this once, by which a person sets a password for the management interface"),
  ).action(makeSignInLink);
  members
    .command("list")
    .description("list the people of an organization")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(list);
}

function roleOption(): Option {
  return new Option("--role <role>", "what the person may do").choices([...MEMBER_ROLES]).makeOptionMandatory();
}

function namesMember(command: Command): Command {
  return command
    .argument("[member]", "the person, by id or e-mail address")
    .addOption(organizationOption())
    .option("--member <member>", "the person, in place of the argument")
    .option("--email <email>", "the person's e-mail address, in place of the argument")
    .addOption(jsonOption());
}

async function add(options: OrganizationOptions & { email: string; role: MemberRole }) {
  const email = readEmail(options.email);
  const member = await withStore(async ({ store, desk }) => {
    const { id: organizationId } = await findOrganization(store, options.org);
    return addMember(desk, "operator", { organizationId, email, role: options.role });
  });
  printRecord(showMember(member), options);
}

async function remove(named: string | undefined, options: MemberOptions) {
  const removed = await withMember(named, options, async ({ desk }, member) => {
    await removeMember(desk, "operator", member);
    return member;
  });
  printRecord(showMember(removed), options);
}

async function setRole(named: string | undefined, options: MemberOptions & { role: MemberRole }) {
  const changed = await withMember(named, options, ({ desk }, member) =>
    setMemberRole(desk, "operator", member, options.role),
  );
  printRecord(showMember(changed), options);
}

async function list(options: OrganizationOptions) {
  const members = await withStore(async ({ store }) => {
    const organization = await findOrganization(store, options.org);
    return store.listMembers({ organizationId: organization.id });
  });
  printList(members.map(showMember), options, "The organization has no member yet.");
}

async function makeSignInLink(named: string | undefined, options: MemberOptions) {
  const link = await withMember(named, options, async ({ desk }, member) => {
    const { secret, url, expiresAt } = await createSignInLink(desk, "operator", member);
    return { member: showMember(member), secret, url, expires_at: expiresAt };
  });
  printRecord(link, options);
}

function withMember<T>(
  named: string | undefined,
  options: MemberOptions,
  work: (world: CommandWorld, member: Member) => Promise<T>,
): Promise<T> {
  const [idOrEmail, ...others] = [named, options.member, options.email].filter((name) => name !== undefined);
  if (idOrEmail === undefined) throw new OperatorError("which member? Give an id or e-mail address.");
  if (others.length > 0) throw new OperatorError("which member? Give one id or e-mail address, not several.");
  return withStore(async (world) => {
    const { store } = world;
    const organization = await findOrganization(store, options.org);
    return work(world, await findMember(store, organization, idOrEmail));
  });
}
