// What operations get besides their input.
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Gateway, NodeName } from "../../flows/gateway.ts";
import type { AdminContext } from "../../flows/accounts/admin-context.ts";
import type { SignedIn } from "../../flows/manage/principal.ts";
import type { ManageRequest, ManageServices } from "../../flows/manage/services.ts";
import type { Catalog } from "../../core/models/catalog.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { FoundKey, Organization } from "../../ports/store/accounts.ts";
import type { AdminToken } from "../../ports/store/management.ts";
import type { NodeStore } from "../../ports/store/nodes.ts";

/** What every operation gets, from a server and from a command that works on a store. */
export interface Context extends AdminContext {
  readonly secrets: Pick<Secrets, "mintApiKey" | "hashEndUser">;
  readonly limits: ServiceLimits;
  /** The processes that share the store; null: this is the only one. */
  readonly nodes: NodeStore | null;
  /** The name and version of this process, for people. */
  readonly self: NodeName;
  /** What this process runs; null: a command, which runs no turns. */
  readonly capacity: Pick<Gateway, "runs" | "openStreams" | "occupancy"> | null;
  /** Whether the writes of a running service may be blocked for long to remove the last traces of what is erased. */
  readonly mayBlockWrites: boolean;
  /** The models of the newest configuration. */
  readonly catalog: () => Promise<Catalog>;
  /** Of the person who is signed in; null: a program or a command. */
  readonly session: SignedIn | null;
  readonly nowMs: number;
  /** The one in the path. */
  readonly organization: Organization | null;
  /** What is done at once about a deleted organization: a service cancels its turns, a command erases it. Resolves to it. */
  readonly afterDeletion: (deleted: Organization) => Promise<Organization>;
}

/** What an operation on one organization gets. */
export interface OrganizationContext extends Context {
  readonly organization: Organization;
}

/** What an operation of everybody gets, and any other that needs a running service, such as its turns. */
export interface PublicContext {
  readonly services: ManageServices;
  readonly request: ManageRequest;
  readonly nowMs: number;
  /** Changes cookies of the browser with the reply, if there is one. */
  readonly setCookies: (changes: CookieChanges) => void;
}

/** What an operation gets besides that needs a running service. */
export interface ServiceContext extends Context, PublicContext {
  /** Of the program that calls; null: a person. */
  readonly token: AdminToken | null;
}

/** What an operation of the holder of an API key gets. */
export interface KeyContext extends PublicContext {
  readonly found: FoundKey;
}

/** The secret that a cookie gets; null clears it. */
export interface CookieChanges {
  readonly session?: string | null;
  /** What the browser keeps of a sign-in at the provider. */
  readonly keptSignIn?: string | null;
}

/** One of the contexts, as the scope of the operation says. */
export type AnyContext = Context | PublicContext | KeyContext;
