// What changes to accounts are made with, by the command line and the management interface alike: the same rules for both.
import type { Actor } from "../../ports/audit.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ManagementSecrets, MintAccountId } from "../../ports/management.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";

export interface Desk {
  readonly store: Store;
  readonly secrets: Pick<Secrets, "mintApiKey">;
  readonly managementSecrets: ManagementSecrets;
  readonly mintAccountId: MintAccountId;
  readonly clock: Clock;
  /** The origin by which people reach the management interface. */
  readonly manageUrl: string;
  /** Who makes the changes. */
  readonly by: Actor;
}
