// Serves a management request: authentication, authorization, query or body, operation. @spec authentication
import type { Owner } from "../../base/fair-capacity.ts";
import { invalidInput, notFound, ApiError } from "../../contract/errors.ts";
import { decideAccess } from "../../core/access/roles.ts";
import { admitKeyHolder, findPrincipal, type Principal } from "../../flows/manage/principal.ts";
import { type ManageRequest, type ManageServices, originOf } from "../../flows/manage/services.ts";
import { AccountError, CeilingError, type Organization } from "../../ports/store/accounts.ts";
import type { AnyContext, CookieChanges, KeyContext, PublicContext, ServiceContext } from "./context.ts";
import type { NamedOperation } from "./operation.ts";

/** Reads and checks the query or the body; undefined for an operation without both. Called after authorization. */
export type ReadInput = () => Promise<object | undefined>;

/** A JSON object, and changes of the browser's cookies. */
export interface ManageReply {
  readonly body: object;
  readonly cookies: CookieChanges;
}

/**
 * Order of checks: credentials (401, 503 `auth_unavailable`), organization of the principal (404), role and a read-only
 * token (403), existence of the organization (404), for a change the organization's rate (429), query or body (400), of
 * a change all but the last again, then the operation, where a broken account rule is a 400 too, and what the operator's rules do not allow a 403.
 */
export async function serveOperation(
  services: ManageServices,
  operation: NamedOperation,
  request: ManageRequest,
  readInput: ReadInput,
): Promise<ManageReply> {
  let cookies: CookieChanges = {};
  const setCookies = (changes: CookieChanges) => {
    cookies = { ...cookies, ...changes };
  };
  const publicContext: PublicContext = { services, request, nowMs: services.clock.nowMs(), setCookies };
  const { context, principal, owner } = await authorize(operation, publicContext);
  const { organization_id: organization = null, ...parameters } = request.params;
  const isChange = principal !== null && operation.method !== "GET";
  // The operator changes without a limit.
  if (isChange && operation.scope === "organization" && principal.roleScope.organizationId !== null) {
    services.drawChange(principal.roleScope.organizationId);
  }
  const run = async () => {
    const input = await readInput();
    // The body may have taken half a minute, in which a session has ended or a token was revoked.
    const current = isChange ? (await authorize(operation, publicContext)).context : context;
    const answer = () => operation.run(current, { ...parameters, ...input });
    return operation.isLong && owner !== null ? services.longReads(owner, answer) : answer();
  };
  const body = await run().catch((error: unknown) => {
    if (error instanceof CeilingError) throw new ApiError("access_denied", error.message);
    throw error instanceof AccountError ? invalidInput(null, error.message) : error;
  });
  if (isChange) {
    const { kind: actor_kind, id: actor_id } = principal.actor;
    services.log.info("manage.changed", { operation: operation.name, actor_kind, actor_id, organization });
  }
  return { body, cookies };
}

interface Authorized {
  readonly context: AnyContext;
  /** Null: neither a program nor a person is signed in. */
  readonly principal: Principal | null;
  /** Whose share of what all share the request takes; null: it is of everybody. */
  readonly owner: Owner | null;
}

/** What the operation gets, and who asks. */
async function authorize(operation: NamedOperation, publicContext: PublicContext): Promise<Authorized> {
  const { services, request } = publicContext;
  if (operation.scope === "public") return { context: publicContext, principal: null, owner: null };
  if (operation.scope === "key") {
    const found = await admitKeyHolder(services, request.authorization);
    const owner = { organizationId: found.organization.id, keyId: found.key.id };
    return { context: { ...publicContext, found } satisfies KeyContext, principal: null, owner };
  }
  const isChange = operation.method !== "GET";
  const principal = await findPrincipal(services, request, { isChange });
  const { role } = principal.roleScope;
  const access = decideAccess(operation, principal.roleScope, request.params["organization_id"] ?? null);
  if (access === "hidden") throw notFound();
  if (access === "denied") {
    const allowed = operation.roles.join(", ");
    throw new ApiError("access_denied", `The role ${role} may not do this. Allowed roles: ${allowed}.`);
  }
  if (isChange && principal.token?.permissions === "read") {
    throw new ApiError("access_denied", "The token is read-only: it may send GET requests only.");
  }
  const context: ServiceContext = {
    ...services,
    ...publicContext,
    manageOrigin: originOf(services, request),
    by: principal.actor,
    role,
    session: principal.session,
    token: principal.token,
    mayBlockWrites: false,
    catalog: async () => services.modelSet().catalog,
    afterDeletion: async (deleted) => {
      // Other nodes cancel theirs within a second (flows/upkeep/deleted-organizations.ts).
      services.capacity.runs.cancelOf(deleted.id);
      return deleted;
    },
    organization: operation.scope === "organization" ? await getOrganization(publicContext) : null,
  };
  const { kind, id } = principal.actor;
  // Requests about all organizations are like those of one more.
  const owner = { organizationId: request.params["organization_id"] ?? "", keyId: `${kind} ${id}` };
  return { context, principal, owner };
}

/** Gets the organization in the path. */
async function getOrganization({ services, request }: PublicContext): Promise<Organization> {
  const id = request.params["organization_id"] ?? "";
  const organization = await services.store.findOrganization({ idOrName: id });
  if (organization?.id !== id) throw notFound();
  return organization;
}
