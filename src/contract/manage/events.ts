// The feed of management events: what happened to an organization or the service, for those who watch it.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { seconds } from "./resource-fields.ts";
import { ACTOR_KINDS } from "./roles.ts";

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
