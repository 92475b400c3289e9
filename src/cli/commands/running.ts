// turngate running: the turns that run now, on any node.
import type { Command } from "commander";
import { RUNNING_TURNS_MAX } from "../../contract/manage/limits.ts";
import { presentRunningTurn } from "../../flows/accounts/present.ts";
import { ORGANIZATION } from "./options.ts";
import { type OutputOptions, printList } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

export function addRunning(program: Command): void {
  program
    .command("running")
    .description(`list the turns that run or wait now, on any node: the ${RUNNING_TURNS_MAX} oldest`)
    .option(...ORGANIZATION)
    .action(list);
}

async function list(options: OutputOptions & { readonly org?: string }) {
  const { turns } = await withStore(async ({ store }) =>
    store.listRunning({ organizationId: await findOrganizationId(store, options.org), limit: RUNNING_TURNS_MAX }),
  );
  printList(turns.map(presentRunningTurn), options, "No turn is running.");
}
