// The context of account changes. The command line and the management interface share these flows, so both follow the
// same rules.
import type { SignInPolicy } from "../../core/access/single-sign-on.ts";
import type { ManageRole } from "../../contract/manage/roles.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MintAccountId } from "../../ports/ids.ts";
import type { ManagementSecrets } from "../../ports/management-secrets.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store/store.ts";

/** What changing accounts uses, and who acts. */
export interface AdminContext {
  readonly store: Store;
  readonly secrets: Pick<Secrets, "mintApiKey">;
  readonly managementSecrets: ManagementSecrets;
  readonly mintAccountId: MintAccountId;
  readonly clock: Clock;
  /** The origin under which browsers reach the management interface. */
  readonly manageOrigin: string;
  /** Single sign-on, if there is one: as the only way in it leaves few links. */
  readonly singleSignOn: { readonly policy: Pick<SignInPolicy, "name" | "isOnlyWay"> } | null;
  /** The actor written to the audit log, and the role in which it acts. */
  readonly by: Actor;
  readonly role: ManageRole;
}
