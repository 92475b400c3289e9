// What the management interface's flows touch, beside the service's own world.
import { createSignInAttempts } from "../flows/manage/sign-in-attempts.ts";
import type { ManageWorld } from "../flows/manage/world.ts";
import type { World } from "../ports/world.ts";
import { mintAccountId } from "../system/ids.ts";
import { createManagementSecrets } from "../system/management-secrets.ts";
import { createPasswords } from "../system/passwords.ts";
import type { Config } from "./config.ts";

/** The real implementation of every port. */
export function createManageWorld(
  { manageUrl, limits }: Pick<Config, "manageUrl" | "limits">,
  { store, catalog, clock, log, secrets }: Pick<World, "store" | "catalog" | "clock" | "log" | "secrets">,
  rootSecret: string,
): ManageWorld {
  return {
    store,
    catalog,
    clock,
    log,
    secrets,
    managementSecrets: createManagementSecrets(rootSecret),
    passwords: createPasswords(),
    mintAccountId,
    attempts: createSignInAttempts(clock),
    erasureAfterDays: limits.erasure_after_days,
    manageUrl,
  };
}
