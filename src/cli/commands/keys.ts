// turngate keys …
import { type Command, Option } from "commander";
import { UNANSWERED_CALLS, type UnansweredCalls } from "../../contract/requests.ts";
import { ACCOUNTS_PAGE_DEFAULT, ACCOUNTS_PAGE_MAX, KEY_NAME_CHARACTERS_MIN } from "../../contract/manage/limits.ts";
import { readKeyName } from "../../core/access/account-fields.ts";
import { type Grace, GRACE_SECONDS, KEY_PERMISSIONS, type KeyPermission } from "../../contract/manage/key-options.ts";
import { createKey, revokeKey, rotateKey } from "../../flows/accounts/keys.ts";
import { createSecrets } from "../../system/hashing.ts";
import { listKeys } from "../../flows/manage/account-pages.ts";
import { limitOption, type OrganizationOptions, ORGANIZATION } from "./options.ts";
import { prints, printsList, printsRecord } from "./output.ts";
import { presentKey } from "../../flows/accounts/present.ts";
import { queryOf } from "./queries.ts";
import { findMember, withOrganization, withStore } from "./with-store.ts";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("API keys, which authenticate requests");

  keys
    .command("create")
    .description("create an API key; its secret is shown once")
    .requiredOption(...ORGANIZATION)
    .requiredOption("--name <name>", `its purpose, at least ${KEY_NAME_CHARACTERS_MIN} characters`)
    .option("--member <member>", "the member who owns it, by id or e-mail address")
    .addOption(
      new Option("--permissions <permissions>", "what the key may do").choices([...KEY_PERMISSIONS]).default("all"),
    )
    .addOption(unansweredCallsOption().default("refuse"))
    .action(printsRecord(create));
  keys
    .command("update")
    .description("change a key's default for requests that do not set it")
    .argument("<key>", "the key's id")
    .addOption(unansweredCallsOption().makeOptionMandatory())
    .action(printsRecord(update));
  keys
    .command("mint")
    .description("print a well-formed secret that is not stored anywhere (for TURNGATE_BOOTSTRAP_API_KEY)")
    .action(prints(mint, ({ secret }) => `${secret}\n`));
  keys
    .command("rotate")
    .description("give a key a new secret, shown once; the key keeps its name and conversations")
    .argument("<key>", "the key's id")
    .addOption(
      new Option(
        "--grace <time>",
        "how long the old secret stays valid; none: all old secrets end at once, also those that an earlier rotation still lets work",
      )
        .choices(Object.keys(GRACE_SECONDS))
        .default("none"),
    )
    .action(
      printsRecord((keyId: string, { grace }: { grace: Grace }) =>
        withStore((services) => rotateKey(services, keyId, grace)),
      ),
    );
  keys
    .command("revoke")
    .description("revoke a key at once and permanently; conversations it started can't be continued")
    .argument("<key>", "the key's id")
    .action(printsRecord((keyId: string) => withStore((services) => revokeKey(services, keyId))));
  keys
    .command("list")
    .description("list the keys of an organization, without their secrets")
    .requiredOption(...ORGANIZATION)
    .addOption(limitOption("keys", ACCOUNTS_PAGE_MAX, ACCOUNTS_PAGE_DEFAULT))
    .option("--after <key>", "only keys after this one, by id")
    .action(printsList("There is no key, or none further.", list));
}

function unansweredCallsOption(): Option {
  const what = "whether a message that arrives while function calls wait is an error, or drops the calls";
  return new Option("--unanswered-calls <word>", what).choices([...UNANSWERED_CALLS]);
}

interface CreateOptions extends OrganizationOptions {
  readonly name: string;
  readonly member?: string;
  readonly permissions: KeyPermission;
  readonly unansweredCalls: UnansweredCalls;
}

function create(options: CreateOptions) {
  // An invalid name is reported before the store is opened.
  const name = readKeyName(options.name);
  return withOrganization(options.org, async (services, organization) => {
    const { member: named } = options;
    const member = named === undefined ? null : await findMember(services.store, organization, named);
    return createKey(services, {
      organizationId: organization.id,
      memberId: member?.id ?? null,
      name,
      permission: options.permissions,
      unansweredCalls: options.unansweredCalls,
    });
  });
}

async function update(keyId: string, { unansweredCalls }: Pick<CreateOptions, "unansweredCalls">) {
  return presentKey(await withStore(({ store, by }) => store.updateKey({ by, keyId, unansweredCalls })));
}

async function mint() {
  // The secret itself does not depend on the root secret; only its hash does.
  const { secret } = createSecrets("").mintApiKey();
  return { secret };
}

async function list(options: OrganizationOptions) {
  const query = queryOf("listKeys", options);
  const of = (organizationId: string) => ({ organizationId, memberId: null });
  return (await withOrganization(options.org, ({ store }, { id }) => listKeys(store, of(id), query))).data;
}
