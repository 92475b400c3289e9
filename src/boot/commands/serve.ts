// turngate serve
import type { Command } from "commander";

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("run the service")
    .action(async () => {
      // Loaded here: no other command needs the server.
      const { serve } = await import("../serve.ts");
      await serve();
    });
}
