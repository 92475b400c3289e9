// What the flows of the management interface touch.
import type { Catalog } from "../../core/catalog.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { ManagementSecrets, MintAccountId, Passwords } from "../../ports/management.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";

export interface ManageWorld {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Pick<Secrets, "mintApiKey">;
  readonly managementSecrets: ManagementSecrets;
  readonly passwords: Passwords;
  readonly mintAccountId: MintAccountId;
  readonly attempts: SignInAttempts;
  /** `limits.erasure_after_days`. */
  readonly erasureAfterDays: number;
  /** The origin that is configured; null: the one that a request names in its Host header. */
  readonly manageUrl: string | null;
}

/** A request as the flows see it: who asks, from where, about what. Nothing of it has been checked but its path. */
export interface ManageRequest {
  /** Every Authorization header as sent; more than one is refused. */
  readonly authorization: readonly string[];
  /** The session cookies that came; more than one is none. */
  readonly sessionCookies: readonly string[];
  readonly csrfToken: string | null;
  /** `Origin` and `Sec-Fetch-Site`, which browsers send. */
  readonly origin: string | null;
  readonly fetchSite: string | null;
  /** `http://` and the Host header. */
  readonly ownOrigin: string;
  /** The address of who is connected. */
  readonly address: string;
  readonly params: Readonly<Record<string, string>>;
  /** The query; refuses a parameter that the operation does not read, or that came twice. */
  readQuery(): ReadonlyMap<string, string>;
}

/** The origin by which people reach the management interface. */
export function originOf(world: Pick<ManageWorld, "manageUrl">, request: Pick<ManageRequest, "ownOrigin">): string {
  return world.manageUrl ?? request.ownOrigin;
}
