// The first step of every request: authentication, permission, payment and allowance. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import { type AllowanceClass, type Operation, ROUTE_OF, type Route } from "../../contract/routes.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import { permissionError, paymentError } from "../../core/access/entitlement.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import { overloadedError } from "../overload/admission.ts";
import { authenticate, type KeyServices } from "./authenticate.ts";
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

/** What admission uses. */
type AdmitNeeds = KeyServices & CapacityNeeds & AllowanceNeeds & Pick<Capacity, "runs">;
type CapacityNeeds = Pick<Services, "load"> & Pick<Capacity, "admission" | "isDraining">;
type AllowanceNeeds = Pick<Services, "limits"> & Pick<Capacity, "allowances">;

/**
 * bearer → key (401, 503 `auth_unavailable`) → permission (403) → payment method, plan and balance of a create (402,
 * 429) → allowance (429) → responses at once of a create (429, 503). Sets caller and allowance on the context, for any
 * reply. A caller that cannot pay is admitted as `unpaid` if it sends an Idempotency-Key: it may be retrying.
 */
export async function admit(serving: AdmitNeeds, context: RequestContext): Promise<Admitted> {
  const route = ROUTE_OF[context.operation];
  assertNotOverloaded(serving, context.operation);
  const { key, organization } = await authenticate(serving, context.authorization);
  const caller = { organizationId: organization.id, keyId: key.id };
  context.caller = caller;
  const forbidden = permissionError(
    { permission: key.permission, isSuspended: organization.suspended },
    route.permission,
  );
  const unpaid = route.operation === "createResponse" ? paymentErrorOf(organization) : null;
  const error = forbidden ?? (context.idempotencyKeys.length === 0 ? unpaid : null);
  if (error !== null) {
    reportAllowance(serving, context, route, organization);
    throw error;
  }
  await drawAllowance(serving, context, route, organization);
  // Before the body is read, and again when the response begins. A retry may still get the earlier response.
  if (route.operation === "createResponse") serving.admission.assertRoom(caller);
  if (route.operation === "createResponse" && context.idempotencyKeys.length === 0) {
    serving.runs.slots.assertRoom(caller, organization.limits.concurrentResponses);
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
export function assertCapacity(serving: CapacityNeeds, operation: Operation): void {
  assertNotOverloaded(serving, operation);
  if (operation === "createResponse") serving.admission.assertNotFull();
}

/**
 * Throws 503 first of all for responses that could only be served late or not at all; nothing has been created then.
 */
function assertNotOverloaded(serving: CapacityNeeds, operation: Operation): void {
  if (ROUTE_OF[operation].allowance !== "create") return;
  assertNotDraining(serving);
  if (operation === "createResponse" && serving.load.isOverloaded()) throw overloadedError();
}

/** Throws 503 `gateway_overloaded` when the service is stopping: a response that began now might be cut off. */
export function assertNotDraining({ isDraining }: Pick<Capacity, "isDraining">): void {
  if (!isDraining()) return;
  throw new ApiError("gateway_overloaded", "The service is stopping: try again.");
}

/** Opens a stream for an admitted caller; the result closes it, once. Throws 429 `stream_limit_exceeded`. */
export async function openStreamFor(
  { limits, openStreams }: Pick<Services, "limits"> & Pick<Capacity, "openStreams">,
  { caller, organization }: Admitted,
): Promise<() => void> {
  return openStreams.open(caller, openStreamsMax(limits, organization));
}

/** For an error that precedes the allowance: draws nothing, but reports what is left. */
function reportAllowance(
  { limits, allowances }: AllowanceNeeds,
  context: RequestContext,
  route: Route,
  organization: Organization,
): void {
  if (route.allowance === null) return;
  const limit = perMinuteOf(limits, organization, route.allowance);
  context.allowance = { limit, ...allowances.look(organization.id, route.allowance, limit) };
}

async function drawAllowance(
  { limits, allowances }: AllowanceNeeds,
  context: RequestContext,
  route: Route,
  organization: Organization,
): Promise<void> {
  if (route.allowance === null) return;
  const perMinute = perMinuteOf(limits, organization, route.allowance);
  const verdict = await allowances.draw(organization.id, route.allowance, perMinute);
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
