// How failures are counted, without shapes: the store's threads load no schema library.

/**
 * How a create fails: its response `failed`; it was `withdrawn`, when its provider failed before anything was told of the
 * response; it was `rejected` before it began; or it was `cancelled` before its provider was called.
 */
export const FAILURE_KINDS = ["failed", "withdrawn", "rejected", "cancelled"] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** What failures are summed by. */
export const FAILURE_GROUPINGS = ["hour", "kind", "code", "model", "provider"] as const;
export type FailureGrouping = (typeof FAILURE_GROUPINGS)[number];

/** How long the sums of an hour are kept, days. */
export const FAILURES_KEPT_DAYS = 90;
/** Sums that are listed. */
export const FAILURE_SUMS_MAX = 5000;
/** Rejected creates that a node counts by model, of an organization in an hour: pairs of code and model. Others by code. */
export const MODELS_COUNTED_MAX = 100;
