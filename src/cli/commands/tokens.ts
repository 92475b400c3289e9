// turngate tokens …: access of programs to the management interface.
import { type Command, Option } from "commander";
import { KEY_NAME_CHARACTERS_MIN } from "../../contract/manage/limits.ts";
import { readKeyName } from "../../core/access/account-fields.ts";
import { presentToken } from "../../flows/accounts/present.ts";
import { createToken, revokeToken } from "../../flows/accounts/tokens.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/manage/roles.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("tokens for the management interface");

  tokens
    .command("create")
    .description("create a token of the operator or of an organization; its secret is shown once")
    .requiredOption("--name <name>", `its purpose, at least ${KEY_NAME_CHARACTERS_MIN} characters`)
    .addOption(new Option("--scope <scope>", "operator: may manage all organizations").choices(["operator"]))
    .option(...ORGANIZATION)
    .addOption(new Option("--role <role>", "role in the organization, with --org").choices([...MEMBER_ROLES]))
    .action(create);
  tokens
    .command("list")
    .description("list tokens without their secrets")
    .option(...ORGANIZATION)
    .action(list);
  tokens
    .command("revoke")
    .description("revoke a token at once and permanently")
    .argument("<token>", "the token's id")
    .action(revoke);
}

interface CreateOptions extends OutputOptions {
  readonly name: string;
  readonly scope?: "operator";
  readonly org?: string;
  readonly role?: MemberRole;
}

async function create(options: CreateOptions) {
  const { scope, org, role } = options;
  const name = readKeyName(options.name);
  const isOperatorToken = scope === "operator" && org === undefined && role === undefined;
  if (!isOperatorToken && (scope !== undefined || org === undefined || role === undefined)) {
    throw new OperatorError("no owner of the token is named: give --scope operator, or --org with --role.");
  }
  const created = await withStore(
    async (services) => {
      const organizationId = await findOrganizationId(services.store, org);
      const owner =
        organizationId === null || role === undefined
          ? ({ organizationId: null, role: null } as const)
          : { organizationId, role };
      return createToken(services, owner, name);
    },
    { createsStore: isOperatorToken },
  );
  printRecord(created, options);
}

async function list(options: OutputOptions & { org?: string }) {
  const tokens = await withStore(async ({ store }) =>
    store.listTokens({ organizationId: await findOrganizationId(store, options.org) }),
  );
  printList(tokens.map(presentToken), options, "There is no token yet.");
}

async function revoke(tokenId: string, options: OutputOptions) {
  printRecord(await withStore((services) => revokeToken(services, tokenId)), options);
}
