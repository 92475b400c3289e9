// How long an organization keeps its histories (docs/decisions/retention.md).
import { invalidInput } from "../../contract/errors.ts";
import type { ServiceLimits } from "../../contract/limits.ts";
import { RETENTION_DAYS_MAX } from "../../contract/manage/limits.ts";
import { effectiveRetention, type RetentionBounds } from "../../core/history/retention.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { AdminContext } from "./admin-context.ts";

type RetentionLimits = Pick<ServiceLimits, "retention_days" | "idempotency_retention_hours">;

/**
 * Sets after how many days without use an organization's histories are deleted; null: as the service does. Throws 400
 * `invalid_input` (`days`) when the service keeps none so long, or an idempotency key longer.
 */
export async function setRetention(
  { store, by }: AdminContext,
  { id }: Pick<Organization, "id">,
  days: number | null,
  limits: RetentionLimits,
): Promise<Organization> {
  const { minimum, maximum } = retentionBounds(limits);
  if (days !== null && (days < minimum || days > maximum)) {
    throw invalidInput(
      "days",
      `days is ${days}; allowed: ${minimum} to ${maximum}, or null for the service's retention.`,
    );
  }
  return store.updateOrganization({ by, organizationId: id, retentionDays: days });
}

/** The fewest and the most days that an organization may keep its histories. */
export function retentionBounds(limits: RetentionLimits): RetentionBounds {
  const { retention_days: serviceDays, idempotency_retention_hours: hours } = limits;
  return { minimum: Math.max(1, Math.ceil(hours / 24)), maximum: serviceDays ?? RETENTION_DAYS_MAX };
}

/** JSON of an organization's retention. */
export function presentRetention({ retentionDays }: Pick<Organization, "retentionDays">, limits: RetentionLimits) {
  const serviceDays = limits.retention_days;
  return {
    days: retentionDays,
    service_days: serviceDays,
    effective_days: effectiveRetention(retentionDays, serviceDays),
  };
}
