// The types of events in the feed and the figures that cause them, without shapes: the store's threads load no schema
// library.

/** Shares of a budget's limit that are reported when they are spent, percent. */
export const BUDGET_SHARES = [50, 80, 100] as const;
/** Shares that are left of what an organization had after its last top-up, reported when they are reached, percent. */
export const CREDIT_SHARES = [20, 5, 0] as const;
/** How long before its end a rotated secret is reported, hours. */
export const SECRET_ENDS_HOURS = 24;
/** Page size of the feed. */
export const EVENTS_PAGE_MAX = 500;
export const EVENTS_PAGE_DEFAULT = 50;

/** Changes of the audit log that are events too, by the same names. */
export const CHANGE_EVENTS = [
  "organization.create",
  "organization.suspend",
  "organization.resume",
  "organization.delete",
  "plan.start",
  "plan.stop",
  "payment_method.set",
  "payment_method.clear",
  "retention.set",
  "policy.set",
  "limits.set",
  "credits.add",
  "member.add",
  "member.remove",
  "member.role",
  "key.create",
  "key.rotate",
  "key.revoke",
  "budget.set",
  "budget.raise",
  "budget.clear",
  "token.create",
  "token.revoke",
  "configuration.reload",
] as const;

/** Events that follow from responses, from the time or from what holders of keys ask for. */
export const OBSERVED_EVENTS = [
  "budget.reached",
  "budget.rejected",
  "budget.increase_requested",
  "credits.low",
  "credits.rejected",
  "key.secret_ends",
  "provider.failing",
  "provider.recovered",
] as const;

export const EVENT_TYPES = [...CHANGE_EVENTS, ...OBSERVED_EVENTS] as const;
export type EventType = (typeof EVENT_TYPES)[number];
