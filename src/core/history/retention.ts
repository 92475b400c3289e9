// How long a history is kept after its last use.

/** The fewest and the most days that an organization may set. */
export interface RetentionBounds {
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * Days after its last use an organization's history is deleted; null: never. `own` is the organization's setting,
 * `service` the longest that the service keeps any history; null in either is no limit of its own.
 */
export function effectiveRetention(own: number | null, service: number | null): number | null {
  if (own === null) return service;
  return service === null ? own : Math.min(own, service);
}
