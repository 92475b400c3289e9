// turngate tokens …: what programs manage with.
import { type Command, Option } from "commander";
import { KEY_NAME_CHARACTERS_MIN } from "../../contract/manage/limits.ts";
import { readKeyName } from "../../core/accounts/account-fields.ts";
import { showToken } from "../../flows/accounts/shapes.ts";
import { createToken, revokeToken } from "../../flows/accounts/tokens.ts";
import { MEMBER_ROLES, type MemberRole } from "../../contract/manage/roles.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addTokens(program: Command): void {
  const tokens = program.command("tokens").description("tokens of the management interface: what programs manage with");

  tokens
    .command("create")
    .description("make a token, of the operator or of an organization; its secret is shown this once")
    .requiredOption("--name <name>", `what it is for, at least ${KEY_NAME_CHARACTERS_MIN} characters`)
    .addOption(new Option("--scope <scope>", "operator: everything, all organizations").choices(["operator"]))
    .option("--org <org>", "the organization, by id or name, with --role")
    .addOption(new Option("--role <role>", "what it may do in the organization").choices([...MEMBER_ROLES]))
    .addOption(jsonOption())
    .action(create);
  tokens
    .command("list")
    .description("list tokens without their secrets")
    .option("--org <org>", "of this organization alone, by id or name")
    .addOption(jsonOption())
    .action(list);
  tokens
    .command("revoke")
    .description("end a token, at once and for good")
    .argument("<token>", "the token's id")
    .addOption(jsonOption())
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
  const isOperators = scope === "operator" && org === undefined && role === undefined;
  if (!isOperators && (scope !== undefined || org === undefined || role === undefined)) {
    throw new OperatorError("whose token? Give --scope operator, or --org with --role.");
  }
  const created = await withStore(
    async ({ store, desk }) => {
      const holder =
        org === undefined || role === undefined
          ? ({ organizationId: null, role: null } as const)
          : { organizationId: (await findOrganization(store, org)).id, role };
      const { token, secret } = await createToken(desk, holder, name);
      return { id: token.id, name: token.name, secret };
    },
    { makesStore: isOperators },
  );
  printRecord(created, options);
}

async function list(options: OutputOptions & { org?: string }) {
  const tokens = await withStore(async ({ store }) => {
    const organizationId = options.org === undefined ? null : (await findOrganization(store, options.org)).id;
    return store.listTokens({ organizationId });
  });
  printList(tokens.map(showToken), options, "There is no token yet.");
}

async function revoke(tokenId: string, options: OutputOptions) {
  printRecord(await withStore(({ desk }) => revokeToken(desk, tokenId)), options);
}
