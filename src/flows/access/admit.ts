// The first step of every request: authentication, permission, payment and allowance. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import { type AllowanceClass, type Operation, ROUTE_OF, type Route } from "../../contract/routes.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import { permissionError, paymentError } from "../../core/access/entitlement.ts";
import type { FoundKey, Organization } from "../../ports/store/accounts.ts";
import type { KeyLimits } from "../../ports/store/limits.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import { overloadedError } from "../overload/admission.ts";
import { authenticate, type KeyServices } from "./authenticate.ts";
import { openStreamsMax, OWN_LIMIT, perMinuteOf } from "./limits-in-force.ts";

/** An admitted caller, with its organization's settings. */
export interface Admitted {
  readonly caller: Caller;
  readonly organization: Organization;
  /** The treatment of a user turn while calls wait, when the request names none. */
  readonly unansweredCalls: UnansweredCalls;
  /** The limits of its key. */
  readonly keyLimits: KeyLimits;
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
export async function admit(services: AdmitNeeds, context: RequestContext): Promise<Admitted> {
  const route = ROUTE_OF[context.operation];
  const { key, organization } = await authenticate(services, context.authorization);
  const caller = { organizationId: organization.id, keyId: key.id };
  context.caller = caller;
  const forbidden = permissionError(
    { permission: key.permission, isSuspended: organization.suspended },
    route.permission,
  );
  const unpaid = route.operation === "createResponse" ? paymentErrorOf(organization) : null;
  const error = forbidden ?? (context.idempotencyKeys.length === 0 ? unpaid : null);
  if (error !== null) {
    reportAllowance(services, context, route, { key, organization });
    throw error;
  }
  await drawRequest(services, context, route, { key, organization });
  // Before the body is read, and again when the response begins. A retry may still get the earlier response.
  if (route.operation === "createResponse") services.admission.assertRoom(caller);
  if (route.operation === "createResponse" && context.idempotencyKeys.length === 0) {
    services.runs.slots.assertRoom(caller, responsesAtOnce({ organization, keyLimits: key.limits }));
  }
  return { caller, organization, unansweredCalls: key.unansweredCalls, keyLimits: key.limits, unpaid };
}

function paymentErrorOf({ paymentMethod, plan, creditsNano, heldNano }: Organization): ApiError | null {
  return paymentError({ hasPaymentMethod: paymentMethod, hasPlan: plan, creditsNano, heldNano });
}

/**
 * Throws 503 `gateway_overloaded` for a request without room, before any of it is read: rejecting must cost far less
 * than serving.
 */
export function assertCapacity(services: CapacityNeeds, operation: Operation): void {
  if (ROUTE_OF[operation].allowance !== "create") return;
  assertNotDraining(services);
  if (operation !== "createResponse") return;
  if (services.load.isOverloaded()) throw overloadedError();
  services.admission.assertNotFull();
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

/** How many responses a caller's organization and its key may have at once on this node; null: their shares. */
export function responsesAtOnce({ organization, keyLimits }: Pick<Admitted, "organization" | "keyLimits">) {
  return { ofOrganization: organization.limits.concurrentResponses, ofKey: keyLimits.concurrentResponses };
}

type Owners = Pick<FoundKey, "key" | "organization">;

/** An allowance that a request counts in. */
interface Counted {
  readonly ownerId: string;
  readonly whose: string;
  readonly perMinute: number;
}

/** The key's, if it has one, before the organization's, so that what a key may not send costs the others nothing. */
function countedIn(limits: AllowanceNeeds["limits"], { key, organization }: Owners, of: AllowanceClass): Counted[] {
  const perMinute = perMinuteOf(limits, organization, of);
  const ofKey = key.limits[OWN_LIMIT[of]];
  return [
    ...(ofKey === null ? [] : [{ ownerId: key.id, whose: "This API key", perMinute: ofKey }]),
    { ownerId: organization.id, whose: "Your organization", perMinute },
  ];
}

/** For an error that precedes the allowance: draws nothing, but reports what is left. */
function reportAllowance(
  { limits, allowances }: AllowanceNeeds,
  context: RequestContext,
  { allowance }: Route,
  owners: Owners,
): void {
  if (allowance === null) return;
  for (const { ownerId, perMinute } of countedIn(limits, owners, allowance)) {
    noteAllowance(context, { limit: perMinute, ...allowances.look(ownerId, allowance, perMinute) });
  }
}

/**
 * Draws a request of a class from the allowance of its key, if it has one, and from its organization's; notes on the
 * context the one that has the least left. Throws 429 `rate_limit_exceeded`.
 */
export async function drawRequest(
  { limits, allowances }: AllowanceNeeds,
  context: Pick<RequestContext, "allowance">,
  { allowance }: Pick<Route, "allowance">,
  owners: Owners,
): Promise<void> {
  if (allowance === null) return;
  for (const { ownerId, whose, perMinute } of countedIn(limits, owners, allowance)) {
    // oxlint-disable-next-line no-await-in-loop -- the second is not drawn when the first is used up
    const { isGranted, remaining, resetMs, retryAfterMs } = await allowances.draw(ownerId, allowance, perMinute);
    noteAllowance(context, { limit: perMinute, remaining, resetMs });
    if (!isGranted) throw rateLimitError(whose, allowance, perMinute, retryAfterMs);
  }
}

/** The reply reports the allowance that has the least left. */
function noteAllowance(
  context: Pick<RequestContext, "allowance">,
  allowance: NonNullable<RequestContext["allowance"]>,
): void {
  if (context.allowance === null || allowance.remaining <= context.allowance.remaining) context.allowance = allowance;
}

/** 429 `rate_limit_exceeded`. */
function rateLimitError(
  whose: string,
  allowanceClass: AllowanceClass,
  perMinute: number,
  retryAfterMs: number,
): ApiError {
  return new ApiError("rate_limit_exceeded", `${whose} may send ${perMinute} ${allowanceClass} requests a minute.`, {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  });
}
