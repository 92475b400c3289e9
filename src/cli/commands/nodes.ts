// turngate nodes …: the processes that share a database.
import type { Command } from "commander";
import { describeDatabase } from "../../config/database-url.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { nodeState } from "../../flows/nodes/node-state.ts";
import type { NodeRecord } from "../../ports/store/nodes.ts";
import { type OutputOptions, printList } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addNodes(program: Command): void {
  const nodes = program.command("nodes").description("the processes that share a PostgreSQL database");
  nodes.command("list").description("list the nodes, and those that left or died within the last day").action(list);
}

async function list(options: OutputOptions) {
  const records = await withStore(({ nodes, config }) => {
    if (nodes !== null) return nodes.listNodes();
    throw new OperatorError(`${describeDatabase(config.database)} is an embedded database: one process serves on it.`);
  });
  printList(records.map(present), options, "No node has joined yet.");
}

function present(record: NodeRecord) {
  const { id, name, version, startedAtMs, leaseUntilMs, goneAtMs, runningTurns } = record;
  return {
    node: name,
    id,
    version,
    state: nodeState(record),
    running_turns: runningTurns,
    started_at: showTime(startedAtMs),
    lease_until: showTime(leaseUntilMs),
    gone_at: goneAtMs === null ? null : showTime(goneAtMs),
  };
}

function showTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
