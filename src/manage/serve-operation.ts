// Serves a management request: authentication, authorization, body, operation. @spec authentication
import { invalidInput, notFound, ApiError } from "../contract/errors.ts";
import type { ManageRoute } from "../contract/manage/routes.ts";
import { decideAccess } from "../core/access/roles.ts";
import { AccountError, type Organization } from "../ports/store/accounts.ts";
import { ORGANIZATION_OPERATIONS } from "../flows/manage/organization-operations.ts";
import { PLATFORM_OPERATIONS } from "../flows/manage/platform-operations.ts";
import type { AuthorizedRequest, ManageReply, OrganizationRequest } from "../flows/manage/authorized-request.ts";
import type { AnyContext, CookieChanges, KeyContext, PublicContext, ServiceContext } from "./context.ts";
import type { NamedOperation } from "./operation.ts";
import { admitKeyHolder, findPrincipal } from "../flows/manage/principal.ts";
import { type ManageRequest, type ManageServices, originOf } from "../flows/manage/services.ts";

/** Reads and checks the query or the body; undefined for an operation without both. Called after authorization. */
export type ReadInput = () => Promise<object | undefined>;

/**
 * Order of checks: credentials (401, 503 `auth_unavailable`), organization of the principal (404), role (403),
 * existence of the organization (404), query or body (400), then the operation, where a broken account rule is a 400 too.
 */
export async function serveOperation(
  services: ManageServices,
  route: ManageRoute | NamedOperation,
  request: ManageRequest,
  readInput: ReadInput,
): Promise<ManageReply> {
  if ("run" in route) return serveDefined(services, route, request, readInput);
  const authorized = await authorize(services, route, request);
  const reply = await rejectBrokenRules(operate(route, authorized, readInput));
  if (route.method !== "GET") logChange(authorized, route);
  return reply;
}

/** Serves an operation that is defined in this folder. */
async function serveDefined(
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
    ...authorized.admin,
    ...everybody,
    limits: services.limits,
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

async function operate(route: ManageRoute, authorized: AuthorizedRequest, readInput: ReadInput): Promise<ManageReply> {
  if (route.scope === "organization") {
    const organization = await getOrganization(authorized);
    const serve: Serve<OrganizationRequest, object> = ORGANIZATION_OPERATIONS[route.operation];
    return { body: await serve({ ...authorized, organization }, (await readInput()) as never), cookies: {} };
  }
  const serve: Serve<AuthorizedRequest, object> = PLATFORM_OPERATIONS[route.operation];
  return { body: await serve(authorized, (await readInput()) as never), cookies: {} };
}

/** An operation; its input has been checked against its own shape. */
type Serve<Request, Result> = (request: Request, body: never) => Promise<Result>;

async function authorize(
  services: ManageServices,
  route: ManageRoute | NamedOperation,
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
  const { actor: by, standing } = principal;
  const admin = { ...services, manageUrl: originOf(services, request), by, role: standing.role };
  return { services, request, principal, admin };
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
