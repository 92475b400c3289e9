// turngate notify: a process of its own that reads the feed of events and posts signed notices. docs/notify.md
import type { Command } from "commander";
import type { NotifyOptions } from "./run-notify.ts";

/** Adds the command; `eventTypes` are those of the feed. */
export function addNotify(program: Command, eventTypes: readonly string[]): void {
  program
    .command("notify")
    .description("read the feed of events and send notices by HTTP, Slack or mail, until it is stopped")
    .option("--config <file>", "the file with the token and the targets", "turngate-notify.yaml")
    .option("--test", "read the feed once, send a test notice to each target, and exit non-zero if one of them fails")
    .action(async (options: Omit<NotifyOptions, "eventTypes">) => {
      // Loaded late: its libraries would take every start of the service 40 ms.
      const { runNotify } = await import("./run-notify.ts");
      await runNotify({ ...options, eventTypes });
    });
}
