// A management request after authentication and authorization, and its reply.
import type { BodyOf } from "../../contract/manage/bodies.ts";
import type { MANAGE_QUERIES, QueryOf } from "../../contract/manage/queries.ts";
import type { ManageOperation, ManageScope, OperationOf } from "../../contract/manage/routes.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { AdminContext } from "../accounts/admin-context.ts";
import type { Principal } from "./principal.ts";
import type { ManageRequest, ManageServices } from "./services.ts";

/** A request of a principal whose role may make it. */
export interface AuthorizedRequest {
  readonly services: ManageServices;
  readonly request: ManageRequest;
  readonly principal: Principal;
  /** Context of changes, which are logged with the principal as their actor and allowed by its role. */
  readonly admin: AdminContext;
}

/** A request with an organization in its path. */
export interface OrganizationRequest extends AuthorizedRequest {
  readonly organization: Organization;
}

/** What an operation needs that only reads of an organization; the command line runs such operations too. */
export interface ReadRequest<Service extends keyof ManageServices> {
  readonly services: Pick<ManageServices, Service>;
  readonly principal: Pick<Principal, "standing" | "session">;
  readonly organization: Organization;
}

/** The checked query or the checked body of an operation; undefined if it has neither. */
export type InputOf<Operation extends ManageOperation> = Operation extends keyof typeof MANAGE_QUERIES
  ? QueryOf<Operation>
  : BodyOf<Operation>;

/** The operations of a scope. */
export type Operations<Scope extends ManageScope, Request, Result> = {
  readonly [Operation in OperationOf<Scope>]: (request: Request, input: InputOf<Operation>) => Promise<Result>;
};

/** A JSON object, and changes of cookies: the session, and what the browser keeps of a sign-in at the provider. */
export interface ManageReply {
  readonly body: object;
  readonly cookies: { readonly session?: string | null; readonly keptSignIn?: string | null };
}
