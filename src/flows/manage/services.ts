// The ports and settings that the management flows use, and their request.
import type { SignInPolicy } from "../../core/access/single-sign-on.ts";
import type { Configuration } from "../../ports/configuration.ts";
import type { MintAccountId } from "../../ports/ids.ts";
import type { ManagementSecrets, Passwords } from "../../ports/management-secrets.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity, NodeName } from "../gateway.ts";
import type { CheckProviders } from "../providers/provider-check.ts";
import type { ProviderHealth } from "../providers/health.ts";
import type { SingleSignOnProvider } from "../../ports/single-sign-on.ts";
import type { DrawChange } from "./changes.ts";
import type { LongReads } from "./long-reads.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";

/** The provider of single sign-on, and what turngate.yaml makes of its people. */
export interface SingleSignOn {
  readonly provider: SingleSignOnProvider;
  readonly policy: SignInPolicy;
}

/** What the management flows use: all services, and the parts that only they have. */
export interface ManageServices extends Services {
  /** What this process has for requests, as far as it is in use. */
  readonly capacity: Capacity;
  readonly configuration: Configuration;
  /** Called when the configuration was reloaded by a request, which reaches one of several processes on one port. */
  readonly onReload: () => void;
  /** The name and version of this process, for people. */
  readonly self: NodeName;
  readonly managementSecrets: ManagementSecrets;
  readonly passwords: Passwords;
  /** What this process has observed of a configured provider. */
  readonly healthOf: (provider: string, minutes?: number) => ProviderHealth;
  /** Asks the configured providers whether they reply and accept their keys. */
  readonly checkProviders: CheckProviders;
  readonly mintAccountId: MintAccountId;
  readonly attempts: SignInAttempts;
  readonly drawChange: DrawChange;
  readonly longReads: LongReads;
  /** Single sign-on; null without it. */
  readonly singleSignOn: SingleSignOn | null;
  /** The configured origin; null to use the one in the request's Host header. */
  readonly manageUrl: string | null;
  /** The base URL of /v1 for clients: the configured one, or where it listens. */
  readonly baseUrl: () => string;
}

/** A request before authentication: only its path has been checked. */
export interface ManageRequest {
  /** All Authorization headers as sent; several are an error. */
  readonly authorization: readonly string[];
  readonly sessionCookie: string | null;
  /** What the browser keeps of a sign-in at the provider, as sent. */
  readonly keptSignIn: string | null;
  readonly csrfToken: string | null;
  /** `Origin` and `Sec-Fetch-Site`, sent by browsers. */
  readonly origin: string | null;
  readonly fetchSite: string | null;
  /** `http://` and the Host header. */
  readonly ownOrigin: string;
  /** The network address of the client. */
  readonly address: string;
  /** `User-Agent`, printable and cut to USER_AGENT_CHARACTERS_MAX. */
  readonly userAgent: string | null;
  readonly params: Readonly<Record<string, string>>;
}

/** The origin under which browsers reach the management interface. */
export function originOf(
  services: Pick<ManageServices, "manageUrl">,
  request: Pick<ManageRequest, "ownOrigin">,
): string {
  return services.manageUrl ?? request.ownOrigin;
}
