// The first step of every request: authentication, permission, payment and allowance. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import { type AllowanceClass, type Operation, ROUTE_OF, type Route } from "../../contract/routes.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import { permissionError, paymentError } from "../../core/access/entitlement.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { RequestContext } from "../request-context.ts";
import type { Gateway } from "../gateway.ts";
import { overloadedError } from "../overload/admission.ts";
import { authenticate } from "./authenticate.ts";
import { openStreamsMax, perMinuteOf } from "./limits-in-force.ts";

/** An admitted caller, with its organization's settings. */
export interface Admitted {
  readonly caller: Caller;
  readonly organization: Organization;
  /** The treatment of a user turn while calls wait, when the request names none. */
  readonly unansweredCalls: UnansweredCalls;
  /** Why it cannot pay for a create; a retry may still get the earlier response. Null: it can pay, or need not. */
  readonly unpaid: ApiError | null;
}

/**
 * bearer → key (401, 503 `auth_unavailable`) → permission (403) → payment method, plan and balance of a create (402,
 * 429) → allowance (429) → turns at once of a create (429, 503). Sets caller and allowance on the context, for any
 * reply. A caller that cannot pay is admitted as `unpaid` if it sends an Idempotency-Key: it may be retrying.
 */
export async function admit(gateway: Gateway, context: RequestContext): Promise<Admitted> {
  const route = ROUTE_OF[context.operation];
  assertNotOverloaded(gateway, context.operation);
  const { key, organization } = await authenticate(gateway.services, context.authorization);
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
  // Before the body is read, and again when the turn begins. A retry may still get the earlier response.
  if (route.operation === "createResponse") gateway.admission.assertRoom(caller);
  if (route.operation === "createResponse" && context.idempotencyKeys.length === 0) {
    gateway.runs.slots.assertRoom(caller, organization.limits.concurrentTurns);
  }
  return { caller, organization, unansweredCalls: key.unansweredCalls, unpaid };
}

function paymentErrorOf({ paymentMethod, plan, creditsNano, heldNano }: Organization): ApiError | null {
  return paymentError({ hasPaymentMethod: paymentMethod, hasPlan: plan, creditsNano, heldNano });
}

/**
 * Throws 503 `gateway_overloaded` for a request without room, before any of it is read: rejecting must cost far less
 * than serving.
 */
export function assertCapacity(gateway: Gateway, operation: Operation): void {
  assertNotOverloaded(gateway, operation);
  if (operation === "createResponse") gateway.admission.assertNotFull();
}

/** Throws 503 first of all for turns that could only be served late or not at all; nothing has been created then. */
function assertNotOverloaded(gateway: Gateway, operation: Operation): void {
  if (ROUTE_OF[operation].allowance !== "create") return;
  assertNotDraining(gateway);
  if (operation === "createResponse" && gateway.services.load.isOverloaded()) throw overloadedError();
}

/** Throws 503 `gateway_overloaded` when the service is stopping: a turn that began now might be cut off. */
export function assertNotDraining(gateway: Gateway): void {
  if (!gateway.isDraining()) return;
  throw new ApiError("gateway_overloaded", "The service is stopping: try again.");
}

/** Opens a stream for an admitted caller; the result closes it, once. Throws 429 `stream_limit_exceeded`. */
export async function openStreamFor(gateway: Gateway, { caller, organization }: Admitted): Promise<() => void> {
  return gateway.openStreams.open(caller, openStreamsMax(gateway.services.limits, organization));
}

/** For an error that precedes the allowance: draws nothing, but reports what is left. */
function reportAllowance(gateway: Gateway, context: RequestContext, route: Route, organization: Organization): void {
  if (route.allowance === null) return;
  const limit = perMinuteOf(gateway.services.limits, organization, route.allowance);
  context.allowance = { limit, ...gateway.allowances.look(organization.id, route.allowance, limit) };
}

async function drawAllowance(
  gateway: Gateway,
  context: RequestContext,
  route: Route,
  organization: Organization,
): Promise<void> {
  if (route.allowance === null) return;
  const perMinute = perMinuteOf(gateway.services.limits, organization, route.allowance);
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
