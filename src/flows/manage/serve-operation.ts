// A request to the management interface, from who asks to the answer. @spec authentication
import { invalidInput, notFound, Refusal } from "../../contract/errors.ts";
import type { MANAGE_ROUTES } from "../../contract/manage/routes.ts";
import { decideAccess } from "../../core/accounts/roles.ts";
import { AccountError, type Organization } from "../../ports/accounts.ts";
import { ORGANIZATION_OPERATIONS } from "./organization-operations.ts";
import { PLATFORM_OPERATIONS } from "./platform-operations.ts";
import { PUBLIC_OPERATIONS } from "./public-operations.ts";
import { SELF_OPERATIONS } from "./self-operations.ts";
import type { ManageReply, OrganizationVisit, Visit } from "./visit.ts";
import { findVisitor } from "./visitor.ts";
import { type ManageRequest, type ManageWorld, originOf } from "./world.ts";

export type ManagedRoute = (typeof MANAGE_ROUTES)[number];

/** Reads the body and checks it against the operation's shape; undefined where none is read. Called once it is known that who asks may. */
export type ReadBody = () => Promise<unknown>;

/**
 * who asks (401, 503 `auth_unavailable`) → another organization (404) → the role (403) → the organization itself (404) → body (400) →
 * the operation, in which a rule of the accounts that stands in the way is a 400 too.
 */
export async function serveOperation(
  world: ManageWorld,
  route: ManagedRoute,
  request: ManageRequest,
  readBody: ReadBody,
): Promise<ManageReply> {
  if (route.scope === "public") {
    const serve: Operate<[ManageWorld, ManageRequest]> = PUBLIC_OPERATIONS[route.operation];
    return serve(world, request, (await readBody()) as never);
  }
  const visit = await openVisit(world, route, request);
  const reply = await refuseBrokenRules(operate(route, visit, readBody));
  if (route.method !== "GET") logChange(visit, route);
  return reply;
}

async function operate(
  route: Exclude<ManagedRoute, { scope: "public" }>,
  visit: Visit,
  readBody: ReadBody,
): Promise<ManageReply> {
  if (route.scope === "organization") {
    const organization = await findOrganization(visit);
    const serve: Operate<[OrganizationVisit]> = ORGANIZATION_OPERATIONS[route.operation];
    return serve({ ...visit, organization }, (await readBody()) as never);
  }
  const serve: Operate<[Visit]> =
    route.scope === "platform" ? PLATFORM_OPERATIONS[route.operation] : SELF_OPERATIONS[route.operation];
  return serve(visit, (await readBody()) as never);
}

/** An operation whose body has been checked against its own shape, whichever that is. */
type Operate<Arguments extends readonly unknown[]> = (...given: [...Arguments, body: never]) => Promise<ManageReply>;

async function openVisit(world: ManageWorld, route: ManagedRoute, request: ManageRequest): Promise<Visit> {
  const visitor = await findVisitor(world, request, { isChange: route.method !== "GET" });
  const access = decideAccess(route, visitor.standing, request.params["organization_id"] ?? null);
  if (access === "hidden") throw notFound();
  if (access === "denied") {
    throw new Refusal(
      "access_denied",
      `The role ${visitor.standing.role} may not do this: ${route.roles.join(", ")} may.`,
    );
  }
  const { store, secrets, managementSecrets, mintAccountId, clock } = world;
  const manageUrl = originOf(world, request);
  const desk = { store, secrets, managementSecrets, mintAccountId, clock, manageUrl, by: visitor.actor };
  return { world, request, visitor, desk };
}

/** The organization that the path names by its id. */
async function findOrganization({ world, request }: Visit): Promise<Organization> {
  const id = request.params["organization_id"] ?? "";
  const organization = await world.store.findOrganization({ idOrName: id });
  if (organization?.id !== id) throw notFound();
  return organization;
}

async function refuseBrokenRules(work: Promise<ManageReply>): Promise<ManageReply> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AccountError) throw invalidInput(null, error.message);
    throw error;
  }
}

function logChange({ world, visitor, request }: Visit, { operation }: ManagedRoute): void {
  world.log.info("manage.changed", {
    operation,
    actor_kind: visitor.actor.kind,
    actor_id: visitor.actor.id,
    organization: request.params["organization_id"] ?? null,
  });
}
