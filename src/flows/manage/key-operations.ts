// Operations of the holder of an API key, about that key alone. @spec authentication
import { ApiError } from "../../contract/errors.ts";
import type { BodyOf } from "../../contract/manage/bodies.ts";
import { ALLOWANCE_CLASSES } from "../../contract/routes.ts";
import { permissionError } from "../../core/access/entitlement.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { FoundKey, Organization } from "../../ports/store/accounts.ts";
import { rateLimitError } from "../access/admit.ts";
import { authenticate } from "../access/authenticate.ts";
import { openStreamsMax, perMinuteOf, turnsMax } from "../access/limits-in-force.ts";
import { readAmount, readName } from "../accounts/amounts.ts";
import { presentKeyBudget, presentSums } from "../accounts/present-spending.ts";
import type { KeyRequest, Operations } from "./authorized-request.ts";
import type { ManageServices } from "./services.ts";

/** The operations of the scope `key`. */
export const KEY_OPERATIONS: Operations<"key", KeyRequest, object> = { showKeyHolder, requestIncrease };

/**
 * Admits a key as /v1 does for a read: 401 `invalid_api_key`, 503 `auth_unavailable`, 403 `access_denied` for a
 * suspended organization or a key without the permission to read, 429 `rate_limit_exceeded` of the class `retrieve`.
 */
export async function admitKeyHolder(services: ManageServices, authorization: readonly string[]): Promise<FoundKey> {
  const { gateway, limits } = services;
  const found = await authenticate(services, authorization);
  const { key, organization } = found;
  const forbidden = permissionError({ permission: key.permission, isSuspended: organization.suspended }, "read");
  if (forbidden !== null) throw forbidden;
  const perMinute = perMinuteOf(limits, organization, "retrieve");
  const { isGranted, retryAfterMs } = await gateway.allowances.draw(organization.id, "retrieve", perMinute);
  if (!isGranted) throw rateLimitError("retrieve", perMinute, retryAfterMs);
  return found;
}

async function showKeyHolder({ services, found }: KeyRequest) {
  const { gateway, store } = services;
  const { key, organization, secretExpiresAtMs } = found;
  const standing = await store.readKeyStanding({ caller: { organizationId: organization.id, keyId: key.id } });
  if (standing === null) throw revokedError();
  return {
    key: {
      id: key.id,
      name: key.name,
      permissions: key.permission,
      created: key.createdAt,
      secret_valid_until: secretExpiresAtMs === null ? null : secondsOf(secretExpiresAtMs),
    },
    usage: { today: presentSums(standing.today), month: presentSums(standing.month) },
    budgets: standing.budgets.map(presentKeyBudget),
    allowances: presentAllowances(services, organization),
    open_streams: {
      max: openStreamsMax(services.limits, organization),
      open: gateway.openStreams.count(organization.id),
    },
    turns: {
      max: turnsMax(services.limits, organization),
      now: gateway.runs.slots.turnsOf(organization.id),
    },
  };
}

/**
 * Asks for more than the limit of a budget. Throws 400 `invalid_input` when the key's turns count in no such budget.
 */
async function requestIncrease({ services, found }: KeyRequest, body: BodyOf<"requestIncrease">) {
  const { store, mintAccountId } = services;
  const { key, organization } = found;
  // Its id is the key's own or that of its member: the store knows it.
  const { scope } = body;
  const { period } = readName({ ...body, ...(scope === "key" || scope === "member" ? { id: key.id } : {}) });
  const isKept = await store.requestIncrease({
    id: mintAccountId("increase"),
    caller: { organizationId: organization.id, keyId: key.id },
    scope,
    period,
    amountNano: readAmount("amount", body.amount),
  });
  if (!isKept) throw revokedError();
  return { done: true };
}

function revokedError(): ApiError {
  return new ApiError("invalid_api_key", "The API key is not valid: it is revoked.");
}

/** The standing of an organization's rate limits, as far as this node knows. */
export function presentAllowances({ gateway, limits }: ManageServices, organization: Organization) {
  return ALLOWANCE_CLASSES.map((allowanceClass) => {
    const perMinute = perMinuteOf(limits, organization, allowanceClass);
    const { remaining, resetMs } = gateway.allowances.look(organization.id, allowanceClass, perMinute);
    return {
      class: allowanceClass,
      per_minute: perMinute,
      used: Math.max(0, perMinute - remaining),
      remaining,
      full_in_seconds: resetMs / 1000,
    };
  });
}
