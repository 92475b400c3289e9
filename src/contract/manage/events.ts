// The feed of management events: what happened to an organization or the service, for those who watch it.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull, seconds } from "./resource-fields.ts";
import { ACTOR_KINDS } from "./roles.ts";

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

/** Events that follow from turns or from the time. */
export const OBSERVED_EVENTS = [
  "budget.reached",
  "credits.low",
  "key.secret_ends",
  "provider.failing",
  "provider.recovered",
] as const;

export const EVENT_TYPES = [...CHANGE_EVENTS, ...OBSERVED_EVENTS] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const FeedEvent = Type.Object({
  id: Type.Integer({ description: "a sequence number over the whole feed, in the order of commits" }),
  organization: orNull(Type.String({ description: "null: an event of the service" })),
  organization_name: orNull(Type.String()),
  at: seconds,
  type: oneOf(EVENT_TYPES),
  target: orNull(Type.String({ description: "what it is about, as in the audit log; null: the organization itself" })),
  name: orNull(
    Type.String({ description: "the name of that key, or the e-mail address of that member, as it was then" }),
  ),
  actor: orNull(
    Type.Object(
      { kind: oneOf(ACTOR_KINDS), id: Type.String() },
      { description: "who caused it; null: it followed from turns or from the time" },
    ),
  ),
  message: Type.String({ description: "the event as a sentence" }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: "its figures and values" }),
});

export const EventPage = Type.Object(
  {
    data: Type.Array(FeedEvent),
    has_more: Type.Boolean({ description: "whether there are more in the direction of the page" }),
  },
  { description: "Newest first; with `after`, oldest first." },
);
