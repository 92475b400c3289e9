// The first step of every request: authentication, permission, payment and allowance. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import { type Operation, ROUTE_OF } from "../../contract/routes.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import { permissionError, paymentError } from "../../core/access/entitlement.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { KeyLimits } from "../../ports/store/limits.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import { overloadedError } from "../overload/admission.ts";
import { authenticate, type KeyServices } from "./authenticate.ts";
import { type AllowanceNeeds, drawRequest, reportAllowance } from "./drawn-allowances.ts";
import { responsesAtOnce } from "./limits-in-force.ts";

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
    services.runs.slots.assertRoom(caller, responsesAtOnce(organization, key.limits));
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
