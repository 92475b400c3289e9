// The permissions of a valid key, and whether its organization can pay.
// @spec authentication; docs/command-line.md (API keys)
import { ApiError } from "../../contract/errors.ts";
import type { KeyPermission } from "../../contract/manage/key-options.ts";

export interface Entitled {
  readonly permission: KeyPermission;
  readonly isSuspended: boolean;
}

/** 403 `access_denied` if the organization is suspended or the key lacks the permission of the route; else null. */
export function permissionError(entitled: Entitled, needed: "read" | "all"): ApiError | null {
  if (entitled.isSuspended) return new ApiError("access_denied", "Your organization is suspended.");
  if (entitled.permission === "all" || entitled.permission === needed) return null;
  const may = entitled.permission === "read" ? "may only read" : "has no permission";
  return new ApiError(
    "access_denied",
    `This API key ${may}: ask an owner or admin of your organization for another one.`,
  );
}

export interface Spender {
  readonly hasPaymentMethod: boolean;
  readonly hasPlan: boolean;
  readonly creditsNano: bigint;
  /** What running responses have reserved besides. */
  readonly heldNano: bigint;
}

/**
 * Whether an organization can pay for a response: 402 `payment_method_required`, 429 `insufficient_quota` (no plan or
 * no balance), or null. A balance that running responses have reserved is no missing one: what they leave is looked at
 * when the response begins.
 */
export function paymentError(spender: Spender): ApiError | null {
  if (!spender.hasPaymentMethod) {
    return new ApiError("payment_method_required", "Your organization has no payment method on file.");
  }
  if (!spender.hasPlan) {
    return new ApiError("insufficient_quota", "Your organization has no active plan: an owner has to start one.");
  }
  return hasNoCredits(spender) ? noCreditsError() : null;
}

/** Whether nothing of the balance is left, not even what running responses have reserved. */
export function hasNoCredits({ creditsNano, heldNano }: Pick<Spender, "creditsNano" | "heldNano">): boolean {
  return creditsNano <= 0n && heldNano === 0n;
}

/** 429 `insufficient_quota` of an organization whose balance is used up. */
export function noCreditsError(): ApiError {
  return new ApiError("insufficient_quota", "Your organization has no credit balance: 0.0 credits are left.");
}
