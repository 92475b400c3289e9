// Authentication and permission: the first step of every request. @spec authentication
import { notFound, ApiError } from "../../contract/errors.ts";
import type { AllowanceClass, Operation, Route } from "../../contract/routes.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import { ROUTES } from "../../contract/routes.ts";
import { permissionError, paymentError } from "../../core/access/entitlement.ts";
import { readKey } from "../../core/access/key-format.ts";
import { readBearer } from "../../core/access/bearer.ts";
import type { FoundKey, Organization } from "../../ports/store/accounts.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";
import type { RequestContext } from "../request-context.ts";
import type { Gateway } from "../gateway.ts";
import { overloadedError } from "../overload/admission.ts";

/** An admitted caller, with its organization's settings. */
export interface Admitted {
  readonly caller: Caller;
  readonly organization: Organization;
  /** The treatment of a user turn while calls wait, when the request names none. */
  readonly unansweredCalls: UnansweredCalls;
  /**
   * The reason why it cannot pay for a create; a retry may still get the earlier response. Null: it can pay, or need
   * not.
   */
  readonly unpaid: ApiError | null;
}

const ROUTE_OF = new Map(ROUTES.map((route) => [route.operation, route]));

/**
 * bearer → key (401, 503 `auth_unavailable`) → permission (403) → payment method, plan and balance of a create (402, 429) → allowance
 * (429). Sets the allowance on the context for the headers of any reply. A caller that cannot pay but may be retrying is admitted, `unpaid`.
 */
export async function admit(gateway: Gateway, context: RequestContext): Promise<Admitted> {
  const route = ROUTE_OF.get(context.operation);
  if (route === undefined) throw notFound();
  assertNotOverloaded(gateway, context.operation);
  const { key, organization } = await authenticateSpender(gateway, context);
  const caller = { organizationId: organization.id, keyId: key.id };
  context.caller = caller;
  const forbidden = permissionError(
    { permission: key.permission, isSuspended: organization.suspended },
    route.permission,
  );
  const unpaid = route.operation === "createResponse" ? paymentErrorOf(organization) : null;
  const error = forbidden ?? (context.idempotencyKeys.length === 0 ? unpaid : null);
  if (error !== null) {
    reportAllowance(gateway, context, route, organization);
    throw error;
  }
  await drawAllowance(gateway, context, route, organization);
  return { caller, organization, unansweredCalls: key.unansweredCalls, unpaid };
}

/**
 * The key of a request. A create that finds the balance used up makes running turns give back what they hold ahead of their need, and
 * looks again: that money is not spent (docs/decisions/money.md, Ahead of need).
 */
async function authenticateSpender(gateway: Gateway, context: RequestContext): Promise<FoundKey> {
  for (;;) {
    const found = await authenticate(gateway.services, context.authorization);
    const { id: organizationId, creditsNano } = found.organization;
    if (context.operation !== "createResponse" || creditsNano > 0n) return found;
    const shortage = { kind: "credits", creditsNano, neededNano: 1n } as const;
    if (!(await gateway.holdsAhead.reclaim({ organizationId, keyId: found.key.id }, shortage))) return found;
  }
}

function paymentErrorOf({ paymentMethod, plan, creditsNano }: Organization): ApiError | null {
  return paymentError({ hasPaymentMethod: paymentMethod, hasPlan: plan, creditsNano });
}

/**
 * Throws 503 `gateway_overloaded` for a request without room, before any of it is read: rejecting must cost far less than serving.
 */
export function assertCapacity(gateway: Gateway, operation: Operation): void {
  assertNotOverloaded(gateway, operation);
  if (operation === "createResponse") gateway.admission.assertNotFull();
}

/** Throws 503 first of all for turns that could only be served late or not at all; nothing has been created then. */
function assertNotOverloaded(gateway: Gateway, operation: Operation): void {
  if (ROUTE_OF.get(operation)?.allowance !== "create") return;
  assertNotDraining(gateway);
  if (operation === "createResponse" && gateway.services.load.isOverloaded()) throw overloadedError();
}

/** Throws 503 `gateway_overloaded` when the service is stopping: a turn that began now might be cut off. */
export function assertNotDraining(gateway: Gateway): void {
  if (!gateway.isDraining()) return;
  throw new ApiError("gateway_overloaded", "The service is stopping: try again.", { retryAfterSeconds: 1 });
}

/** Opens a stream for an admitted caller; the result closes it. Throws 429 `stream_limit_exceeded`. */
export async function openStreamFor(gateway: Gateway, { organization }: Admitted): Promise<() => void> {
  const max = openStreamsMax(gateway, organization);
  const { sharedStreams, openStreams } = gateway;
  if (sharedStreams === null) return openStreams.open(organization.id, max);
  const release = await sharedStreams.take(organization.id, max);
  try {
    const close = openStreams.open(organization.id, max);
    return () => {
      close();
      release();
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Open streams: the organization's own limit, or the service's. */
export function openStreamsMax(gateway: Gateway, { limits }: Organization): number {
  return limits.openStreams ?? gateway.services.limits.open_streams_per_organization;
}

/** What checking a key uses. */
type KeyServices = Pick<Services, "store" | "secrets" | "log">;

/** The key that a request presents, with its organization. Throws 401 `invalid_api_key`, 503 `auth_unavailable`. */
export async function authenticate(services: KeyServices, authorization: readonly string[]): Promise<FoundKey> {
  const presented = readKey(readBearer(authorization));
  // A bad checksum needs no store: a mistyped key is a 401 even when the store is down.
  if (presented === null) throw invalidKeyError();
  const found = await findKey(services, presented.lookup);
  if (found === null || !services.secrets.matchesKeySecret(presented.secret, found.secretHash)) throw invalidKeyError();
  return found;
}

async function findKey(services: KeyServices, lookup: string): Promise<FoundKey | null> {
  try {
    return await services.store.findKey({ lookup });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    services.log.error("auth.unavailable", {}, error);
    throw new ApiError("auth_unavailable", "The API key cannot be checked right now: try again.", {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

function invalidKeyError(): ApiError {
  return new ApiError("invalid_api_key", "The API key is not valid: it is unknown, mistyped, incomplete or revoked.");
}

/** For an error that precedes the allowance: draws nothing, but reports what is left. */
function reportAllowance(gateway: Gateway, context: RequestContext, route: Route, organization: Organization): void {
  if (route.allowance === null) return;
  const limit = perMinuteOf(gateway, organization, route.allowance);
  context.allowance = { limit, ...gateway.allowances.look(organization.id, route.allowance, limit) };
}

async function drawAllowance(
  gateway: Gateway,
  context: RequestContext,
  route: Route,
  organization: Organization,
): Promise<void> {
  if (route.allowance === null) return;
  const perMinute = perMinuteOf(gateway, organization, route.allowance);
  const verdict = await gateway.allowances.draw(organization.id, route.allowance, perMinute);
  context.allowance = { limit: perMinute, remaining: verdict.remaining, resetMs: verdict.resetMs };
  if (!verdict.isGranted) throw rateLimitError(route.allowance, perMinute, verdict.retryAfterMs);
}

/** 429 `rate_limit_exceeded`. */
export function rateLimitError(allowanceClass: AllowanceClass, perMinute: number, retryAfterMs: number): ApiError {
  return new ApiError(
    "rate_limit_exceeded",
    `Your organization may send ${perMinute} ${allowanceClass} requests a minute.`,
    { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) },
  );
}

/** Requests per minute: the organization's own limit, or the service's. */
export function perMinuteOf(gateway: Gateway, { limits }: Organization, allowanceClass: AllowanceClass): number {
  const defaults = gateway.services.limits.requests_per_minute;
  const own = {
    create: limits.createPerMinute,
    retrieve: limits.retrievePerMinute,
    delete: limits.deletePerMinute,
  }[allowanceClass];
  return own ?? defaults[allowanceClass];
}
