// turngate running: the turns that run now, on any node.
import type { Command } from "commander";
import { RUNNING_TURNS_MAX } from "../../contract/manage/limits.ts";
import { presentRunningTurn } from "../../flows/accounts/present.ts";
import { ORGANIZATION, type ScopeOptions } from "./options.ts";
import { printsList } from "./output.ts";
import { withScope } from "./with-store.ts";

export function addRunning(program: Command): void {
  program
    .command("running")
    .description(`list the turns that run or wait now, on any node: the ${RUNNING_TURNS_MAX} oldest`)
    .option(...ORGANIZATION)
    .action(printsList("No turn is running.", list));
}

async function list({ org }: ScopeOptions) {
  const { turns } = await withScope(org, ({ store }, organizationId) =>
    store.listRunning({ organizationId, limit: RUNNING_TURNS_MAX }),
  );
  return turns.map(presentRunningTurn);
}
