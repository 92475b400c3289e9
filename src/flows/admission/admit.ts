// Who is asking, and may they: the first step of every request. @spec authentication
import { notFound, Refusal } from "../../contract/errors.ts";
import type { AllowanceClass, Operation, Route } from "../../contract/routes.ts";
import { ROUTES } from "../../contract/routes.ts";
import { refusePermission, refuseSpender } from "../../core/accounts/entitlement.ts";
import { readKey } from "../../core/accounts/keys.ts";
import { readBearer } from "../../core/reading/bearer.ts";
import type { FoundKey, Organization } from "../../ports/accounts.ts";
import type { Caller } from "../../ports/histories.ts";
import { StoreError } from "../../ports/store.ts";
import type { World } from "../../ports/world.ts";
import type { Exchange } from "../exchange.ts";
import type { Gateway } from "../gateway.ts";
import { overloaded } from "./admission.ts";

/** Who has been admitted, with what its organization allows. */
export interface Admitted {
  readonly caller: Caller;
  readonly organization: Organization;
  /** Why nothing can be created for it; what a retry asks for has been created. Null: it can pay, or need not. */
  readonly unpaid: Refusal | null;
}

const ROUTE_OF = new Map<Operation, Route>(ROUTES.map((route) => [route.operation, route]));

/**
 * bearer → key (401, 503 `auth_unavailable`) → permission (403) → payment method, plan and balance on a create (402, 429) →
 * allowance (429). Notes the allowance on the exchange for the headers of the answer, whatever it is. Who can't pay but may be retrying is let in, `unpaid`.
 */
export async function admit(gateway: Gateway, exchange: Exchange): Promise<Admitted> {
  const route = ROUTE_OF.get(exchange.operation);
  if (route === undefined) throw notFound();
  refuseUnderLoad(gateway, exchange.operation);
  const { key, organization } = await authenticate(gateway.world, exchange.authorization);
  const forbidden = refusePermission(
    { permission: key.permission, isSuspended: organization.suspended },
    route.permission,
  );
  const unpaid = route.operation === "createResponse" ? refusePayment(organization) : null;
  const refusal = forbidden ?? (exchange.idempotencyKeys.length === 0 ? unpaid : null);
  if (refusal !== null) {
    noteAllowance(gateway, exchange, route, organization);
    throw refusal;
  }
  drawAllowance(gateway, exchange, route, organization);
  return { caller: { organizationId: organization.id, keyId: key.id }, organization, unpaid };
}

function refusePayment({ paymentMethod, plan, creditsNano }: Organization): Refusal | null {
  return refuseSpender({ hasPaymentMethod: paymentMethod, hasPlan: plan, creditsNano });
}

/**
 * Refuses 503 `gateway_overloaded` a request for which there is no room, before anything of it is looked at, its body unread: saying no
 * must cost a small part of what it spares.
 */
export function refuseUnread(gateway: Gateway, operation: Operation): void {
  refuseUnderLoad(gateway, operation);
  if (operation === "createResponse") gateway.admission.refuseWhenFull();
}

/** New turns are refused first of all when they could only be served late, or not at all: nothing has been created. */
function refuseUnderLoad(gateway: Gateway, operation: Operation): void {
  if (ROUTE_OF.get(operation)?.allowance !== "create") return;
  refuseDraining(gateway);
  if (operation === "createResponse" && gateway.world.load.isOverloaded()) throw overloaded();
}

/** Refuses 503 `gateway_overloaded` when the service is stopping: a turn that began now might be cut off. */
export function refuseDraining(gateway: Gateway): void {
  if (!gateway.isDraining()) return;
  throw new Refusal("gateway_overloaded", "The service is stopping: try again.", { retryAfterSeconds: 1 });
}

/** Takes a place for a stream of an admitted caller; refuses 429 `stream_limit_exceeded`. Calling the result frees it. */
export function openStreamOf(gateway: Gateway, { organization }: Admitted): () => void {
  const max = organization.limits.openStreams ?? gateway.world.limits.open_streams_per_organization;
  return gateway.openStreams.open(organization.id, max);
}

/** The key that a request presents, with its organization. Refuses 401 `invalid_api_key`, 503 `auth_unavailable`. */
export async function authenticate(world: World, authorization: readonly string[]): Promise<FoundKey> {
  const presented = readKey(readBearer(authorization));
  // A bad checksum is told without the store: a mistyped key is a 401 even when the store is down.
  if (presented === null) throw badKey();
  const found = await findKey(world, presented.lookup);
  if (found === null || !world.secrets.matchesKeySecret(presented.secret, found.secretHash)) throw badKey();
  return found;
}

async function findKey(world: World, lookup: string): Promise<FoundKey | null> {
  try {
    return await world.store.findKey({ lookup });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    world.log.error("auth.unavailable", {}, error);
    throw new Refusal("auth_unavailable", "The API key could not be checked at this moment: try again.", {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

function badKey(): Refusal {
  return new Refusal("invalid_api_key", "The API key is not valid: it is unknown, mistyped, incomplete or revoked.");
}

/** For a refusal that comes before the allowance: it draws nothing, and tells what is left like any answer. */
function noteAllowance(gateway: Gateway, exchange: Exchange, route: Route, organization: Organization): void {
  if (route.allowance === null) return;
  const limit = perMinuteOf(gateway, organization, route.allowance);
  exchange.allowance = { limit, ...gateway.allowances.look(organization.id, route.allowance, limit) };
}

function drawAllowance(gateway: Gateway, exchange: Exchange, route: Route, organization: Organization): void {
  if (route.allowance === null) return;
  const perMinute = perMinuteOf(gateway, organization, route.allowance);
  const verdict = gateway.allowances.draw(organization.id, route.allowance, perMinute);
  exchange.allowance = { limit: perMinute, remaining: verdict.remaining, resetMs: verdict.resetMs };
  if (verdict.isGranted) return;
  throw new Refusal(
    "rate_limit_exceeded",
    `Your organization may make ${perMinute} ${route.allowance} requests a minute.`,
    {
      retryAfterSeconds: Math.ceil(verdict.retryAfterMs / 1000),
    },
  );
}

function perMinuteOf(gateway: Gateway, { limits }: Organization, allowanceClass: AllowanceClass): number {
  const defaults = gateway.world.limits.requests_per_minute;
  const own = {
    create: limits.createPerMinute,
    retrieve: limits.retrievePerMinute,
    delete: limits.deletePerMinute,
  }[allowanceClass];
  return own ?? defaults[allowanceClass];
}
