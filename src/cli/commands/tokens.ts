// turngate tokens …: access of programs to the management interface.
import { type Command, Option } from "commander";
import { KEY_NAME_CHARACTERS_MIN } from "../../contract/manage/limits.ts";
import { readKeyName } from "../../core/access/account-fields.ts";
import { presentToken } from "../../flows/accounts/present.ts";
import { createToken, revokeToken } from "../../flows/accounts/tokens.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/manage/roles.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION, type ScopeOptions } from "./options.ts";
import { printsList, printsRecord } from "./output.ts";
import { withOrganization, withScope, withStore } from "./with-store.ts";

export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("tokens for the management interface");

  tokens
    .command("create")
    .description("create a token of the operator or of an organization; its secret is shown once")
    .requiredOption("--name <name>", `its purpose, at least ${KEY_NAME_CHARACTERS_MIN} characters`)
    .addOption(new Option("--scope <scope>", "operator: may manage all organizations").choices(["operator"]))
    .option(...ORGANIZATION)
    .addOption(new Option("--role <role>", "role in the organization, with --org").choices([...MEMBER_ROLES]))
    .action(printsRecord(create));
  tokens
    .command("list")
    .description("list tokens without their secrets")
    .option(...ORGANIZATION)
    .action(printsList("There is no token yet.", list));
  tokens
    .command("revoke")
    .description("revoke a token at once and permanently")
    .argument("<token>", "the token's id")
    .action(printsRecord((id: string) => withStore((services) => revokeToken(services, id))));
}

interface CreateOptions extends ScopeOptions {
  readonly name: string;
  readonly scope?: "operator";
  readonly role?: MemberRole;
}

function create({ name: given, scope, org, role }: CreateOptions) {
  const name = readKeyName(given);
  const isOperatorToken = scope === "operator" && org === undefined && role === undefined;
  if (!isOperatorToken && (scope !== undefined || org === undefined || role === undefined)) {
    throw new OperatorError("no owner of the token is named: give --scope operator, or --org with --role.");
  }
  if (org === undefined || role === undefined) {
    const owner = { organizationId: null, role: null };
    return withStore((services) => createToken(services, owner, name), { createsStore: true });
  }
  return withOrganization(org, (services, { id }) => createToken(services, { organizationId: id, role }, name));
}

async function list({ org }: ScopeOptions) {
  const tokens = await withScope(org, ({ store }, organizationId) => store.listTokens({ organizationId }));
  return tokens.map(presentToken);
}
