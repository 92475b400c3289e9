// Serves a management request: authentication, authorization, body, operation. @spec authentication
import { invalidInput, notFound, ApiError } from "../contract/errors.ts";
import { decideAccess } from "../core/access/roles.ts";
import { AccountError, type Organization } from "../ports/store/accounts.ts";
import type { AnyContext, CookieChanges, KeyContext, PublicContext, ServiceContext } from "./context.ts";
import type { NamedOperation } from "./operation.ts";
import { admitKeyHolder, findPrincipal, type Principal } from "../flows/manage/principal.ts";
import { type ManageRequest, type ManageServices, originOf } from "../flows/manage/services.ts";

/** A request of a principal whose role may make it. */
interface AuthorizedRequest {
  readonly services: ManageServices;
  readonly request: ManageRequest;
  readonly principal: Principal;
}

/** A JSON object, and changes of cookies. */
export interface ManageReply {
  readonly body: object;
  readonly cookies: CookieChanges;
}

/** Reads and checks the query or the body; undefined for an operation without both. Called after authorization. */
export type ReadInput = () => Promise<object | undefined>;

/**
 * Order of checks: credentials (401, 503 `auth_unavailable`), organization of the principal (404), role (403),
 * existence of the organization (404), query or body (400), then the operation, where a broken account rule is a 400 too.
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
  const everybody: PublicContext = { services, request, nowMs: services.clock.nowMs(), setCookies };
  const { context, authorized } = await admit(operation, everybody);
  const run = async () => {
    const { organization_id: _, ...parameters } = request.params;
    const sent = Object.entries((await readInput()) ?? {});
    // A parameter that was not sent is read as null; a field that may be null is one of a body.
    const given = operation.method === "GET" ? sent.filter(([, value]) => value !== null) : sent;
    return operation.run(context, { ...parameters, ...Object.fromEntries(given) });
  };
  const body = await rejectBrokenRules(run());
  if (authorized !== null && operation.method !== "GET") logChange(authorized, operation);
  return { body, cookies };
}

/** What the operation gets; `authorized` is null for one that neither a program nor a person is signed in for. */
async function admit(
  operation: NamedOperation,
  everybody: PublicContext,
): Promise<{ readonly context: AnyContext; readonly authorized: AuthorizedRequest | null }> {
  const { services, request } = everybody;
  if (operation.scope === "public") return { context: everybody, authorized: null };
  if (operation.scope === "key") {
    const found = await admitKeyHolder(services, request.authorization);
    return { context: { ...everybody, found } satisfies KeyContext, authorized: null };
  }
  const authorized = await authorize(services, operation, request);
  const context: ServiceContext = {
    ...services,
    ...everybody,
    manageUrl: originOf(services, request),
    by: authorized.principal.actor,
    role: authorized.principal.standing.role,
    mayBlockWrites: false,
    catalog: async () => services.offer().catalog,
    principal: authorized.principal,
    afterDeletion: async (deleted) => {
      // Other nodes cancel theirs within a second (flows/upkeep/deleted-organizations.ts).
      services.gateway.runs.cancelOf(deleted.id);
      return deleted;
    },
    organization: operation.scope === "organization" ? await getOrganization(authorized) : null,
  };
  return { context, authorized };
}

async function authorize(
  services: ManageServices,
  route: NamedOperation,
  request: ManageRequest,
): Promise<AuthorizedRequest> {
  const principal = await findPrincipal(services, request, { isChange: route.method !== "GET" });
  const access = decideAccess(route, principal.standing, request.params["organization_id"] ?? null);
  if (access === "hidden") throw notFound();
  if (access === "denied") {
    throw new ApiError(
      "access_denied",
      `The role ${principal.standing.role} may not do this. Allowed roles: ${route.roles.join(", ")}.`,
    );
  }
  return { services, request, principal };
}

/** Gets the organization in the path. */
async function getOrganization({ services, request }: AuthorizedRequest): Promise<Organization> {
  const id = request.params["organization_id"] ?? "";
  const organization = await services.store.findOrganization({ idOrName: id });
  if (organization?.id !== id) throw notFound();
  return organization;
}

async function rejectBrokenRules<Reply>(work: Promise<Reply>): Promise<Reply> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AccountError) throw invalidInput(null, error.message);
    throw error;
  }
}

function logChange(
  { services, principal, request }: AuthorizedRequest,
  { operation }: { readonly operation: string },
): void {
  services.log.info("manage.changed", {
    operation,
    actor_kind: principal.actor.kind,
    actor_id: principal.actor.id,
    organization: request.params["organization_id"] ?? null,
  });
}
