// turngate keys …
import { type Command, Option } from "commander";
import { KEY_PERMISSIONS, type KeyPermission } from "../../ports/accounts.ts";
import { createSecrets } from "../../system/hashing.ts";
import { mintAccountId } from "../../system/ids.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, organizationOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { showKey } from "./shapes.ts";
import { findMember, findOrganization, nowSeconds, withStore } from "./with-store.ts";

/** Shortest name of a key, characters. @spec authentication */
const KEY_NAME_CHARACTERS_MIN = 3;

/** How long the old secret of a rotated key may stay valid, seconds. @spec authentication */
const GRACE_SECONDS = { none: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 } as const;
type Grace = keyof typeof GRACE_SECONDS;

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

interface CreateOptions extends OutputOptions {
  readonly org: string;
  readonly name: string;
  readonly member?: string;
  readonly permissions: KeyPermission;
}

async function create(options: CreateOptions) {
  const name = options.name.trim();
  if (Array.from(name).length < KEY_NAME_CHARACTERS_MIN) {
    throw new OperatorError(`--name is "${name}"; allowed: at least ${KEY_NAME_CHARACTERS_MIN} characters.`);
  }
  const created = await withStore(async ({ store, rootSecret, by }) => {
    const organization = await findOrganization(store, options.org);
    const member = options.member === undefined ? null : await findMember(store, organization, options.member);
    const minted = createSecrets(rootSecret).mintApiKey();
    const key = await store.createKey({
      by,
      key: {
        id: mintAccountId("key"),
        organizationId: organization.id,
        memberId: member?.id ?? null,
        name,
        permission: options.permissions,
        createdAt: nowSeconds(),
        revokedAt: null,
      },
      secret: { lookup: minted.lookup, hash: minted.hash },
    });
    return { id: key.id, name: key.name, secret: minted.secret };
  });
  printRecord(created, options);
}

async function mint(options: OutputOptions) {
  // No root secret is needed for the secret itself: whoever stores it hashes it.
  const { secret } = createSecrets("").mintApiKey();
  if (options.json) printRecord({ secret }, options);
  else console.log(secret);
}

async function rotate(keyId: string, options: OutputOptions & { grace: Grace }) {
  const rotated = await withStore(async ({ store, rootSecret, by }) => {
    const minted = createSecrets(rootSecret).mintApiKey();
    const { key, oldSecretValidUntilMs } = await store.rotateKey({
      by,
      keyId,
      secret: { lookup: minted.lookup, hash: minted.hash },
      graceSeconds: GRACE_SECONDS[options.grace],
    });
    return { id: key.id, secret: minted.secret, old_secret_valid_until: Math.floor(oldSecretValidUntilMs / 1000) };
  });
  printRecord(rotated, options);
}

async function revoke(keyId: string, options: OutputOptions) {
  const key = await withStore(({ store, by }) => store.revokeKey({ by, keyId, revokedAt: nowSeconds() }));
  printRecord({ id: key.id, revoked_at: key.revokedAt }, options);
}

async function list(options: OutputOptions & { org: string }) {
  const keys = await withStore(async ({ store }) => {
    const organization = await findOrganization(store, options.org);
    return store.listKeys({ organizationId: organization.id });
  });
  printList(keys.map(showKey), options, "The organization has no key yet.");
}
