// Which processes share the store, for the operator. See docs/nodes.md
import { secondsOf } from "../../ports/clock.ts";
import type { NodeRecord } from "../../ports/store/nodes.ts";
import { nodeState } from "../nodes/node-state.ts";
import type { AuthorizedRequest } from "./authorized-request.ts";

/** The nodes, and those that left or died within the last day; none where the engine serves one process. */
export async function listNodes({ services }: Pick<AuthorizedRequest, "services">) {
  const { nodes, self } = services;
  const records = nodes === null ? [] : await nodes.listNodes();
  return { data: records.map(presentNode), this_process: { name: self.name, version: self.version } };
}

/** A node with its documented field names; times in Unix seconds. */
export function presentNode(node: NodeRecord) {
  const { id, name, version, startedAtMs, leaseUntilMs, goneAtMs, runningTurns } = node;
  return {
    id,
    name,
    version,
    state: nodeState(node),
    running_turns: runningTurns,
    started_at: secondsOf(startedAtMs),
    lease_until: secondsOf(leaseUntilMs),
    gone_at: goneAtMs === null ? null : secondsOf(goneAtMs),
  };
}
