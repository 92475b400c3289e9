// turngate serve
import type { Command } from "commander";
import { SURROUNDINGS } from "../help.ts";
import { listenForSignals } from "../../boot/on-signals.ts";
import { findParent } from "../../boot/processes/child.ts";
import { wholeNumber } from "./options.ts";

/** A larger number is a mistake: no machine has as many cores, and each process opens connections to the database. */
const PROCESSES_MAX = 512;

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service")
    .option(
      "--processes <number>",
      "run this many processes on the same ports; needs PostgreSQL",
      wholeNumber(1, PROCESSES_MAX),
    )
    .addHelpText("after", SURROUNDINGS)
    .action(async (options: { readonly processes?: number }) => {
      const signals = listenForSignals();
      // Loaded late: no other command needs the server, nor does the parent of several processes.
      if (options.processes !== undefined) {
        const { serveWithProcesses } = await import("../../boot/processes/parent.ts");
        await serveWithProcesses(options.processes, signals);
        return;
      }
      const { serve } = await import("../../boot/serve.ts");
      await serve(signals, findParent(signals));
    });
}
