// turngate members …
import { type Command, Option } from "commander";
import { MEMBER_ROLES, type Member, type MemberRole, type Organization } from "../../ports/accounts.ts";
import { mintAccountId } from "../../system/ids.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, organizationOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { showMember } from "./shapes.ts";
import { type CommandWorld, findMember, findOrganization, nowSeconds, withStore } from "./with-store.ts";

interface OrganizationOptions extends OutputOptions {
  readonly org: string;
}

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
  const email = options.email.trim();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new OperatorError(`--email is "${email}"; allowed: an e-mail address.`);
  const member = await withStore(async ({ store, by }) => {
    const organization = await findOrganization(store, options.org);
    const id = mintAccountId("member");
    return store.addMember({
      by,
      id,
      organizationId: organization.id,
      email,
      role: options.role,
      createdAt: nowSeconds(),
    });
  });
  printRecord(showMember(member), options);
}

async function remove(named: string | undefined, options: MemberOptions) {
  const removed = await withMember(named, options, async ({ store, by }, organization, member) => {
    await store.removeMember({ by, organizationId: organization.id, memberId: member.id });
    return member;
  });
  printRecord(showMember(removed), options);
}

async function setRole(named: string | undefined, options: MemberOptions & { role: MemberRole }) {
  const changed = await withMember(named, options, ({ store, by }, organization, member) =>
    store.setMemberRole({ by, organizationId: organization.id, memberId: member.id, role: options.role }),
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

function withMember(
  named: string | undefined,
  options: MemberOptions,
  work: (world: CommandWorld, organization: Organization, member: Member) => Promise<Member>,
): Promise<Member> {
  const idOrEmail = named ?? options.member ?? options.email;
  if (idOrEmail === undefined) throw new OperatorError("which member? Give an id or e-mail address.");
  return withStore(async (world) => {
    const { store } = world;
    const organization = await findOrganization(store, options.org);
    return work(world, organization, await findMember(store, organization, idOrEmail));
  });
}
