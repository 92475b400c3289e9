// turngate nodes …: the processes that share a database.
import type { Command } from "commander";
import { describeDatabase } from "../../config/database-url.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { nodeState } from "../../flows/nodes/node-state.ts";
import type { NodeRecord } from "../../ports/store/nodes.ts";
import { printsList, timeOf } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addNodes(program: Command): void {
  const nodes = program.command("nodes").description("the processes that share a PostgreSQL database");
  nodes
    .command("list")
    .description("list the nodes, and those that left or died within the last day")
    .action(printsList("No node has joined yet.", list));
}

async function list() {
  const records = await withStore(({ nodes, config }) => {
    if (nodes !== null) return nodes.listNodes();
    throw new OperatorError(`${describeDatabase(config.database)} is an embedded database: one process serves on it.`);
  });
  return records.map(present);
}

function present(record: NodeRecord) {
  const { id, name, version, startedAtMs, leaseUntilMs, goneAtMs, runningTurns } = record;
  return {
    node: name,
    id,
    version,
    state: nodeState(record),
    running_turns: runningTurns,
    started_at: timeOf(startedAtMs / 1000),
    lease_until: timeOf(leaseUntilMs / 1000),
    gone_at: goneAtMs === null ? null : timeOf(goneAtMs / 1000),
  };
}
