// The limits in force for an organization: its own, and where it has none, the service's. @spec limits
import { shareAlone } from "../../base/fair-capacity.ts";
import type { ServiceLimits } from "../../contract/limits.ts";
import type { AllowanceClass } from "../../contract/routes.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { KeyLimits } from "../../ports/store/limits.ts";

/** The limits of the service that an organization has unless it has its own. */
export type SharedLimits = Pick<
  ServiceLimits,
  "requests_per_minute" | "open_streams_per_organization" | "concurrent_turns" | "queued_turns"
>;

/** The limits of requests a minute, of an organization and of a key. */
export const OWN_LIMIT = {
  create: "createPerMinute",
  retrieve: "retrievePerMinute",
  delete: "deletePerMinute",
} as const satisfies Record<AllowanceClass, keyof KeyLimits & keyof Organization["limits"]>;

/** Requests a minute of one class. */
export function perMinuteOf(service: SharedLimits, organization: Organization, allowanceClass: AllowanceClass): number {
  return limitOf(organization, OWN_LIMIT[allowanceClass], service.requests_per_minute[allowanceClass]);
}

/** Streams that may be open at once. */
export function openStreamsMax(service: SharedLimits, organization: Organization): number {
  return limitOf(organization, "openStreams", service.open_streams_per_organization);
}

/** The organization's limit, else the service's. Only the operator can let an organization go beyond the service's. */
function limitOf({ limits, rules }: Organization, name: keyof Organization["limits"], service: number): number {
  const limit = limits[name];
  if (limit === null) return service;
  const isOwn = (rules.operator.limits?.[name] ?? null) === null && rules.organization.limits !== undefined;
  return isOwn ? Math.min(limit, service) : limit;
}

/** How many responses an organization and a key of it may have at once on this node; null: their shares. */
export function responsesAtOnce({ limits }: Organization, keyLimits: KeyLimits) {
  return { ofOrganization: limits.concurrentResponses, ofKey: keyLimits.concurrentResponses };
}

/**
 * Responses that may run or wait at once on each node: the organization's own limit, within its share of the node's.
 */
export function responsesMax(service: SharedLimits, { limits }: Organization): number {
  const share = shareAlone(service.concurrent_turns) + shareAlone(service.queued_turns);
  return Math.min(limits.concurrentResponses ?? share, share);
}
