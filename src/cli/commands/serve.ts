// turngate serve
import { type Command, InvalidArgumentError } from "commander";
import { SURROUNDINGS } from "../help.ts";
import { listenForSignals } from "../../boot/on-signals.ts";
import { connectToParent, hasParent } from "../../boot/processes/child.ts";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service")
    .option("--processes <number>", "run this many processes on the same ports; needs PostgreSQL", processes)
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
      await serve(signals, hasParent() ? await connectToParent(signals) : null);
    });
}

/** A larger number is a mistake: no machine has as many cores, and each process opens connections to the database. */
const PROCESSES_MAX = 512;

function processes(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= PROCESSES_MAX) return number;
  throw new InvalidArgumentError(`Allowed: a whole number from 1 to ${PROCESSES_MAX}.`);
}
