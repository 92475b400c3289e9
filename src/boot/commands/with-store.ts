// Opens the store for one command, beside a server that may be running on it, and lets it go again.
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import type { Desk } from "../../flows/accounts/desk.ts";
import { findMember as memberOf } from "../../flows/accounts/members.ts";
import type { Member, Organization } from "../../ports/accounts.ts";
import type { Actor } from "../../ports/audit.ts";
import type { Store } from "../../ports/store.ts";
import { createSystemClock } from "../../system/clock.ts";
import { createSecrets } from "../../system/hashing.ts";
import { mintAccountId } from "../../system/ids.ts";
import { createManagementSecrets } from "../../system/management-secrets.ts";
import { type Config, readConfig } from "../config.ts";
import { originOf } from "../greeting.ts";
import { OperatorError } from "../operator-error.ts";
import { readRootSecret } from "../root-secret.ts";

/** What a command works with. */
export interface CommandWorld {
  readonly config: Config;
  readonly store: Store;
  /** Who runs the command, for the audit log. */
  readonly by: Actor;
  /** What changes to accounts are made with: the rules are those of the management interface. */
  readonly desk: Desk;
}

/**
 * Runs a command's work on the store; the schema is brought up to date first. With `makesStore` a store that is missing is made, with its
 * data folder and root secret; else it is refused: nothing could be found in it, and the command was likely given in another folder.
 */
export async function withStore<T>(
  work: (world: CommandWorld) => Promise<T>,
  { makesStore = false }: { makesStore?: boolean } = {},
): Promise<T> {
  const config = await readConfig();
  if (!makesStore && !existsSync(config.databasePath)) {
    throw new OperatorError(
      `there is no database ${resolve(config.databasePath)} yet: \`serve\` and \`orgs create\` make it. Is this the right folder, and DATABASE_URL?`,
    );
  }
  const rootSecret = readRootSecret(config);
  const secrets = createSecrets(rootSecret);
  const { openStore } = await import("../store.ts");
  const store = await openStore(config, { exclusive: false, secrets });
  try {
    const by = readActor();
    const desk: Desk = {
      store,
      by,
      secrets,
      managementSecrets: createManagementSecrets(rootSecret),
      mintAccountId,
      clock: createSystemClock(),
      manageUrl: config.manageUrl ?? originOf(config.manageHost, config.managePort),
    };
    return await work({ config, store, by, desk });
  } finally {
    await store.close();
  }
}

/** The operating system's user; one without a name by its number. */
function readActor(): Actor {
  try {
    return { kind: "cli", id: userInfo().username };
  } catch {
    return { kind: "cli", id: `uid ${process.getuid?.() ?? "unknown"}` };
  }
}

/** The organization of that id or name; throws an OperatorError when there is none. */
export async function findOrganization(store: Store, idOrName: string): Promise<Organization> {
  const organization = await store.findOrganization({ idOrName });
  if (organization === null)
    throw new OperatorError(`there is no organization "${idOrName}"; \`orgs list\` shows them.`);
  return organization;
}

/** The member of that id or e-mail address, in any letter case, in an organization; throws an OperatorError when there is none. */
export async function findMember(store: Store, organization: Organization, idOrEmail: string): Promise<Member> {
  const member = await memberOf({ store }, organization.id, idOrEmail);
  if (member === null) {
    throw new OperatorError(
      `the organization "${organization.name}" has no member "${idOrEmail}"; \`members list\` shows them.`,
    );
  }
  return member;
}
