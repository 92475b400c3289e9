// What a valid key may do. @spec authentication; docs/product.md (What the fields mean here)
import { Refusal } from "../../contract/errors.ts";
import type { KeyPermission } from "../../contract/manage/keys.ts";

export interface Entitled {
  readonly permission: KeyPermission;
  readonly isSuspended: boolean;
}

/** 403 `access_denied` when the organization is suspended or the key lacks the permission that a route needs; else null. */
export function refusePermission(entitled: Entitled, needed: "read" | "all"): Refusal | null {
  if (entitled.isSuspended) return new Refusal("access_denied", "Your organization is suspended.");
  if (entitled.permission === "all" || entitled.permission === needed) return null;
  const may = entitled.permission === "read" ? "may only read" : "has no permission";
  return new Refusal(
    "access_denied",
    `This API key ${may}: ask an owner or admin of your organization for another one.`,
  );
}

export interface Spender {
  readonly hasPaymentMethod: boolean;
  readonly hasPlan: boolean;
  readonly creditsNano: bigint;
}

/**
 * What is missing for creating a response: 402 `payment_method_required`; 429 `insufficient_quota`, saying which of the two; null
 * when nothing is.
 */
export function refuseSpender(spender: Spender): Refusal | null {
  if (!spender.hasPaymentMethod) {
    return new Refusal("payment_method_required", "Your organization has no payment method on file.");
  }
  if (!spender.hasPlan) {
    return new Refusal("insufficient_quota", "Your organization has no active plan: an owner has to start one.");
  }
  return spender.creditsNano <= 0n ? refuseNoCredits() : null;
}

/** The refusal of an organization whose balance is used up: 429 `insufficient_quota`. */
export function refuseNoCredits(): Refusal {
  return new Refusal("insufficient_quota", "Your organization has no credit balance: 0.0 credits are left.");
}
