// turngate keys …
import { type Command, Option } from "commander";
import { KEY_NAME_CHARACTERS_MIN } from "../../contract/manage/limits.ts";
import { readKeyName } from "../../core/accounts/account-fields.ts";
import { type Grace, GRACE_SECONDS, KEY_PERMISSIONS, type KeyPermission } from "../../contract/manage/keys.ts";
import { createKey, revokeKey, rotateKey } from "../../flows/accounts/keys.ts";
import { createSecrets } from "../../system/hashing.ts";
import { jsonOption, type OrganizationOptions, organizationOption } from "./options.ts";
import { type OutputOptions, print, printList, printRecord } from "./output.ts";
import { showKey } from "../../flows/accounts/shapes.ts";
import { findMember, findOrganization, withStore } from "./with-store.ts";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("API keys: what requests are authenticated by");

  keys
    .command("create")
    .description("make an API key; its secret is shown this once")
    .addOption(organizationOption())
    .requiredOption("--name <name>", `what it is for, at least ${KEY_NAME_CHARACTERS_MIN} characters`)
    .option("--member <member>", "the member whose key it is, by id or e-mail address")
    .addOption(new Option("--permissions <permissions>", "what it may do").choices([...KEY_PERMISSIONS]).default("all"))
    .addOption(jsonOption())
    .action(create);
  keys
    .command("mint")
    .description("print a well-formed secret that is stored nowhere (for TURNGATE_BOOTSTRAP_API_KEY)")
    .addOption(jsonOption())
    .action(mint);
  keys
    .command("rotate")
    .description("give a key a new secret, shown this once; it keeps its name and conversations")
    .argument("<key>", "the key's id")
    .addOption(
      new Option("--grace <time>", "how long the old secret stays valid")
        .choices(Object.keys(GRACE_SECONDS))
        .default("none"),
    )
    .addOption(jsonOption())
    .action(rotate);
  keys
    .command("revoke")
    .description("end a key, at once and for good; conversations it started can't be continued")
    .argument("<key>", "the key's id")
    .addOption(jsonOption())
    .action(revoke);
  keys
    .command("list")
    .description("list the keys of an organization, without their secrets")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(list);
}

interface CreateOptions extends OrganizationOptions {
  readonly name: string;
  readonly member?: string;
  readonly permissions: KeyPermission;
}

async function create(options: CreateOptions) {
  // Said before the store is opened, which may be the first use of the data folder.
  const name = readKeyName(options.name);
  const created = await withStore(async ({ store, desk }) => {
    const organization = await findOrganization(store, options.org);
    const member = options.member === undefined ? null : await findMember(store, organization, options.member);
    const { key, secret } = await createKey(desk, {
      organizationId: organization.id,
      memberId: member?.id ?? null,
      name,
      permission: options.permissions,
    });
    return { id: key.id, name: key.name, secret };
  });
  printRecord(created, options);
}

async function mint(options: OutputOptions) {
  // No root secret is needed for the secret itself: whoever stores it hashes it.
  const { secret } = createSecrets("").mintApiKey();
  if (options.json) printRecord({ secret }, options);
  else print(`${secret}\n`);
}

async function rotate(keyId: string, options: OutputOptions & { grace: Grace }) {
  printRecord(await withStore(({ desk }) => rotateKey(desk, keyId, options.grace)), options);
}

async function revoke(keyId: string, options: OutputOptions) {
  printRecord(await withStore(({ desk }) => revokeKey(desk, keyId)), options);
}

async function list(options: OrganizationOptions) {
  const keys = await withStore(async ({ store }) => {
    const organization = await findOrganization(store, options.org);
    return store.listKeys({ organizationId: organization.id });
  });
  printList(keys.map(showKey), options, "The organization has no key yet.");
}
