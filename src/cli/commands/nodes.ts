// turngate nodes …: the processes that share a database.
import type { Command } from "commander";
import { timeOf } from "../../base/time.ts";
import { describeDatabase } from "../../config/database-url.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { presentNode } from "../../flows/manage/nodes.ts";
import { printsList } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addNodes(program: Command): void {
  const nodes = program.command("nodes").description("the processes that share a PostgreSQL database");
  nodes
    .command("list")
    .description("list the nodes, and those that left or died within the last day")
    .action(
      printsList("No node has joined yet.", list, ({ started_at, lease_until, gone_at, ...node }) => ({
        ...node,
        started_at: timeOf(started_at),
        lease_until: timeOf(lease_until),
        gone_at: gone_at === null ? null : timeOf(gone_at),
      })),
    );
}

async function list() {
  const records = await withStore(({ nodes, config }) => {
    if (nodes !== null) return nodes.listNodes();
    throw new OperatorError(`${describeDatabase(config.database)} is an embedded database: one process serves on it.`);
  });
  return records.map((record) => {
    const { name, ...node } = presentNode(record);
    return { node: name, ...node };
  });
}
