// turngate serve
import type { Command } from "commander";
import { SURROUNDINGS } from "../help.ts";
import { listenForSignals } from "../../boot/on-signals.ts";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service")
    .addHelpText("after", SURROUNDINGS)
    .action(async () => {
      const onSignals = listenForSignals();
      // Loaded late: no other command needs the server.
      const { serve } = await import("../../boot/serve.ts");
      await serve(onSignals);
    });
}
