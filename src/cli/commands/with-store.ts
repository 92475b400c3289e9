// Opens the store for one command, beside a service that may be running on it.
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { originOf } from "../../boot/origins.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { describeDatabase } from "../../config/database-url.ts";
import type { StopOthers } from "../../store/engine/migrations.ts";
import type { AdminContext } from "../../flows/accounts/admin-context.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { NodeStore } from "../../ports/store/nodes.ts";
import type { Store } from "../../ports/store/store.ts";
import { ENGINES } from "../../store/engines.ts";
import { createSystemClock } from "../../system/clock.ts";
import { createSecrets } from "../../system/hashing.ts";
import { mintAccountId } from "../../system/ids.ts";
import { createManagementSecrets } from "../../system/management-secrets.ts";
import { createRootKeys } from "../../system/root-keys.ts";

/** The services of a command: those of the management interface, whose rules apply here too, and the configuration. */
export interface CommandServices extends AdminContext {
  readonly config: Config;
  readonly secrets: Secrets;
  /** The processes that share the store; null: the engine serves one process. */
  readonly nodes: NodeStore | null;
}

/**
 * Runs a command's work on the store, whose schema is migrated first. With `createsStore` a missing store is created, with its data folder and
 * root secret. Otherwise it is an OperatorError: the command was probably run in the wrong folder. `stopsOthers` is passed to the store.
 */
export async function withStore<T>(
  work: (services: CommandServices) => Promise<T>,
  { createsStore = false, stopsOthers = null }: { createsStore?: boolean; stopsOthers?: StopOthers | null } = {},
): Promise<T> {
  const config = await readConfig();
  const { engine, location } = config.database;
  const { exists } = await ENGINES[engine]();
  if (!createsStore && !(await exists(location))) {
    throw new OperatorError(
      `there is no database ${engine === "sqlite" ? resolve(location) : describeDatabase(config.database)} yet: \`serve\` and \`orgs create\` create it. Check the working directory and DATABASE_URL.`,
    );
  }
  const { loadRootSecrets, openStore } = await import("../../boot/store.ts");
  const rootKeys = createRootKeys(await loadRootSecrets(config));
  const secrets = createSecrets(rootKeys);
  const clock = createSystemClock();
  const { store, nodes } = await openStore(config, { exclusive: false, secrets, clock, stopsOthers });
  try {
    return await work({
      config,
      store,
      nodes,
      by: readActor(),
      role: "operator",
      secrets,
      managementSecrets: createManagementSecrets(rootKeys),
      mintAccountId,
      clock,
      singleSignOn: config.singleSignOn,
      manageOrigin: config.manageUrl ?? originOf(config.manageHost, config.managePort),
    });
  } finally {
    await store.close();
  }
}

/** Runs a command's work on the organization with this id or name. */
export function withOrganization<T>(
  idOrName: string,
  work: (services: CommandServices, organization: Organization) => Promise<T>,
): Promise<T> {
  return withStore(async (services) => work(services, await findOrganization(services.store, idOrName)));
}

/** The operating system's user, by number if it has no name. */
export function readActor(): Actor {
  try {
    return { kind: "cli", id: userInfo().username };
  } catch {
    return { kind: "cli", id: `uid ${process.getuid?.() ?? "unknown"}` };
  }
}

/** The organization with this id or name. Throws an OperatorError if there is none. */
export async function findOrganization(store: Store, idOrName: string): Promise<Organization> {
  const organization = await store.findOrganization({ idOrName });
  if (organization === null)
    throw new OperatorError(`there is no organization "${idOrName}"; \`orgs list\` shows them.`);
  return organization;
}
