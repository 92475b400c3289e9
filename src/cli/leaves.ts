import type { Command } from "commander";

/** The commands without subcommands, in order. */
export function listLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}
