// The processes that share a database, and what they delete. docs/nodes.md
import Type, { type Static } from "typebox";
import { seconds, time } from "../contract/manage/resource-fields.ts";
import { OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { eraseDeleted as erase } from "../flows/upkeep/erase-deleted.ts";
import { secondsOf } from "../ports/clock.ts";
import type { NodeRecord } from "../ports/store/nodes.ts";
import { operation, type Subject } from "./definition/operation.ts";

const ManagedNode = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: "host and process" }),
  version: Type.String({ description: "the version of its program" }),
  schema_version: orNull(Type.Integer({ description: "the newest that it knows; null: its release does not say so" })),
  state: oneOf(
    ["serving", "draining", "gone"],
    "`draining`: it takes no new work; `gone`: it has left, was taken for dead, or its lease is over",
  ),
  running_turns: Type.Integer(),
  started_at: seconds,
  lease_until: time("when it counts as dead unless it renews before, Unix seconds"),
  gone_at: orNull(time("when it left or was taken for dead, Unix seconds; null: neither")),
});

function presentNode(node: NodeRecord): Static<typeof ManagedNode> {
  const { id, name, version, schemaVersion, startedAtMs, leaseUntilMs, goneAtMs, runningResponses } = node;
  const present = node.isDraining ? "draining" : "serving";
  return {
    id,
    name,
    version,
    schema_version: schemaVersion,
    state: goneAtMs === null && !node.isLeaseOver ? present : "gone",
    running_turns: runningResponses,
    started_at: secondsOf(startedAtMs),
    lease_until: secondsOf(leaseUntilMs),
    gone_at: goneAtMs === null ? null : secondsOf(goneAtMs),
  };
}

const listNodes = operation({
  route: "GET /nodes",
  roles: OPERATOR,
  summary: "List the processes that share the database",
  description:
    "The nodes on PostgreSQL, and those that left or died within the last day. Empty with an embedded database.",
  command: {
    words: "nodes list",
    help: "list the nodes, and those that left or died within the last day",
    whenEmpty: "There is no node: on an embedded database one process serves.",
  },
  output: {
    NodeList: Type.Object({
      data: Type.Array(ManagedNode, { description: "Oldest first; empty with an embedded database." }),
      this_process: Type.Object(
        { name: Type.String({ description: "host and process" }), version: Type.String() },
        { description: "The process that answers." },
      ),
    }),
  },
  async run({ nodes, self: { name, version } }) {
    const records = nodes === null ? [] : await nodes.listNodes();
    return { data: records.map(presentNode), this_process: { name, version } };
  },
});

export const NODES = {
  tag: "Platform",
  about: "the processes that share a PostgreSQL database",
  operations: { listNodes },
} as const satisfies Subject;

const eraseDeleted = operation({
  route: "POST /erase",
  roles: OPERATOR,
  summary: "Erase deleted content whose retention has passed",
  command: {
    words: "erase",
    help: "erase deleted content now",
    options: {
      older_than_days: {
        flags: "--older-than-days <days>",
        help: "only what was deleted at least this many days ago (default: limits.erasure_after_days)",
      },
    },
  },
  input: {
    older_than_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: "erase content that was deleted at least this many days ago",
      }),
    ),
  },
  body: { name: "EraseBody", isOptional: true },
  output: { Erased: Type.Object({ erased: Type.Integer({ description: "number of rows" }) }) },
  async run({ store, by, limits, mayBlockWrites }, { older_than_days: olderThanDays = limits.erasure_after_days }) {
    const rows = await erase(store, { olderThanDays, mayBlockWrites, isStopped: () => false });
    await store.logErasure({ by, olderThanDays, rows });
    return { erased: rows };
  },
});

export const ERASURE = { tag: "Platform", operations: { eraseDeleted } } as const satisfies Subject;
