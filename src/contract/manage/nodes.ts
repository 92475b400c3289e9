// The processes that share a database.
import Type from "typebox";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { seconds } from "./resource-fields.ts";

/** `draining`: it takes no new work. `gone`: it has left, or another node took it for dead. */
export const NODE_STATES = ["serving", "draining", "gone"] as const;
export type NodeState = (typeof NODE_STATES)[number];

const ManagedNode = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: "host and process" }),
  version: Type.String({ description: "of its program" }),
  state: oneOf(NODE_STATES),
  running_turns: Type.Integer(),
  started_at: seconds,
  lease_until: Type.Integer({ description: "when it counts as dead unless it renews before, Unix seconds" }),
  gone_at: orNull(
    Type.Integer({ description: "when it left or was taken for dead, Unix seconds; null: it is still a node" }),
  ),
});

/** The 200 response of `GET /nodes`. */
export const NodeList = Type.Object({
  data: Type.Array(ManagedNode, { description: "Oldest first; empty with an embedded database." }),
  this_process: Type.Object(
    { name: Type.String({ description: "host and process" }), version: Type.String() },
    { description: "The process that answers." },
  ),
});
