// The command line: all commands, and the reporting of errors.
import { Command, CommanderError, type ErrorOptions, Help, Option } from "commander";
import { describeError } from "../boot/fatal-errors.ts";
import { readVersion } from "../boot/version.ts";
import { addServe } from "./commands/serve.ts";
import { print } from "../../packages/kit/output.ts";
import { SURROUNDINGS } from "./help.ts";

/** Runs a command line, given the words after `turngate`; resolves to the exit code. */
export async function runProgram(words: readonly string[]): Promise<number> {
  try {
    // A start of the service does not wait for the modules of sixty other commands.
    const addCommands = words[0] === "serve" ? addServe : (await import("./all-commands.ts")).addAllCommands;
    const program = buildProgram(addCommands);
    await program.parseAsync([...words], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`error: ${describeError(error)}\n`);
    return 1;
  }
}

/** The command line with the given commands. */
export function buildProgram(addCommands: (program: Command) => void): Command {
  const program = new CommandLine("turngate")
    .description(
      "A self-hosted gateway in the Responses-API style: one HTTP interface in front of several model providers.",
    )
    .addHelpText("after", SURROUNDINGS);
  program.version(readVersion(), "-V, --version", "print the version of Turngate");
  // Before the commands are added, since they inherit these settings.
  program
    .exitOverride()
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({
      writeOut: print,
      // One line: commander may add a suggestion on a second one.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, " ")}\n`),
    });
  addCommands(program);
  return program;
}

/** The help of an option; commander does not show which ones are required. */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

/**
 * A command whose errors name its help. It reports an unknown option before a missing one, since it is usually the missing one misspelt.
 */
class CommandLine extends Command {
  override createCommand(name?: string): Command {
    return new CommandLine(name);
  }

  /** Commander calls this, though its types omit it, for the first missing option. */
  missingMandatoryOptionValue({ flags }: Option): void {
    const unknown = this.args.find((word) => /^-./.test(word));
    const message =
      unknown === undefined
        ? `error: required option '${flags}' not specified`
        : `error: unknown option '${unknown}'; required: '${flags}'`;
    this.error(message, { code: "commander.missingMandatoryOptionValue" });
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(`${message.trim().replace(/\.$/, "")}. See \`${wordsOf(this)} --help\`.`, options);
  }
}

/** The words that run a command, such as `turngate orgs create`. */
function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}
