// The feed of events: what happened to an organization or the service, for those who watch it. docs/management.md
import Type, { type Static } from "typebox";
import { timeOf } from "../base/time.ts";
import { invalidInput } from "../contract/errors.ts";
import { EVENT_TYPES, EVENTS_PAGE_DEFAULT, EVENTS_PAGE_MAX } from "../contract/manage/event-types.ts";
import { seconds } from "../contract/manage/resource-fields.ts";
import { ACTOR_KINDS, MANAGERS, OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/events.ts";
import type { Context } from "./definition/context.ts";
import { sentenceOf } from "./event-sentences.ts";
import { ORG_OPTION, pageSize, presentPage, whole } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

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
  actor_name: orNull(
    Type.String({ description: "the address of that member or the name of that token, as it is now" }),
  ),
  message: Type.String({ description: "the event as a sentence" }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: "its figures and values" }),
});

/** An event with its sentence. */
export function presentEvent(event: stored.FeedEvent): Static<typeof FeedEvent> {
  const { id, organizationId, organizationName, atMs, type, target, name, by, actorName, data } = event;
  return {
    id,
    organization: organizationId,
    organization_name: organizationName,
    at: secondsOf(atMs),
    type,
    target,
    name,
    actor: by === null ? null : { ...by },
    actor_name: actorName,
    message: sentenceOf(event),
    data: { ...data },
  };
}

const EventPage = Type.Object(
  {
    data: Type.Array(FeedEvent),
    has_more: Type.Boolean({ description: "whether there are more in the direction of the page" }),
  },
  { description: "Newest first; with `after`, oldest first." },
);

const page = {
  limit: pageSize(EVENTS_PAGE_MAX, EVENTS_PAGE_DEFAULT),
  after: Type.Optional(whole(0, "an id: the events after it, oldest first; 0: from the oldest")),
  before: Type.Optional(whole(1, "an id: the events before it, newest first")),
};
interface Page {
  readonly limit: number;
  readonly after?: number;
  readonly before?: number;
}

const listEvents = operation({
  route: "GET /organizations/:organization_id/events",
  roles: MANAGERS,
  summary: "List the organization's events",
  description:
    "Budgets and credits that run low, and changes of keys, members, budgets, plan and policy. Newest first; with `after`, oldest first. To follow the feed, send the last id read as `after`: ids are in the order of commits. Events are kept for `limits.event_retention_days`.",
  input: page,
  output: { EventPage },
  run: (context, query) => list(context, context.organization.id, query),
});

const listAllEvents = operation({
  route: "GET /events",
  roles: OPERATOR,
  summary: "List the events of all organizations and of the service",
  description:
    "The same as `GET /organizations/{organization_id}/events`, for all organizations; also providers that fail or have recovered, and reloads of the configuration.",
  command: {
    words: "events list",
    help: "list events, newest first",
    variants: { organization_id: { operation: listEvents, ...ORG_OPTION } },
    show: ({ data }) =>
      data.map(({ id, at, organization_name: organization, type, message }) => ({
        id,
        at: timeOf(at),
        organization,
        type,
        message,
      })),
    whenEmpty: "There is no event yet.",
  },
  input: page,
  output: { EventPage },
  run: (context, query) => list(context, null, query),
});

/** A page of one organization's events, or of all (null). Throws 400 `invalid_input` for `after` with `before`. */
async function list({ store }: Context, organizationId: string | null, { limit, after, before }: Page) {
  if (after !== undefined && before !== undefined) throw invalidInput("after", "before and after exclude each other.");
  const from =
    after === undefined
      ? ({ direction: "before", id: before ?? Number.MAX_SAFE_INTEGER } as const)
      : ({ direction: "after", id: after } as const);
  const events = await store.listEvents({ organizationId, from, limit: limit + 1 });
  return presentPage(events, limit, presentEvent);
}

export const EVENTS = {
  tag: "Events",
  about: "the feed of events: budgets, credits, keys, providers",
  operations: { listAllEvents, listEvents },
} as const satisfies Subject;
