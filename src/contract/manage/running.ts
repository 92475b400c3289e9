// What runs and waits now.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { RUNNING_STATUSES } from "../statuses.ts";
import { RUNNING_TURNS_MAX } from "./limits.ts";
import { seconds } from "./resource-fields.ts";

const RunningTurn = Type.Object({
  id: Type.String({ description: "the response" }),
  organization: Type.String(),
  key: Type.String(),
  key_name: Type.String(),
  model: Type.String(),
  since: seconds,
  status: oneOf(RUNNING_STATUSES),
  stream: orNull(Type.Boolean({ description: "null: it runs on another node" })),
});
const thisNode = {
  in_progress: Type.Integer(),
  queued: Type.Integer(),
  open_streams: Type.Integer(),
};
const running = {
  data: Type.Array(RunningTurn, { description: `The oldest ${RUNNING_TURNS_MAX}, oldest first.` }),
  has_more: Type.Boolean(),
  in_progress: Type.Integer({ description: "running turns, on all nodes" }),
  queued: Type.Integer({ description: "turns that wait for a slot, on all nodes" }),
};

/** In an organization. */
export const Running = Type.Object({
  ...running,
  this_node: Type.Object(thisNode, { description: "On the node that answers." }),
});

/** In the whole service. */
export const AllRunning = Type.Object({
  ...running,
  this_node: Type.Object(
    {
      ...thisNode,
      creates_admitted: Type.Integer({ description: "creates between arrival and begin, and turns being settled" }),
      concurrent_turns: Type.Integer({ description: "most turns in progress" }),
      queued_turns: Type.Integer({ description: "longest queue" }),
    },
    { description: "On the node that answers." },
  ),
});
