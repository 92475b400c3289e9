// The command line: all commands, and the reporting of errors.
import { Command, CommanderError, Option } from "commander";
import { addApply } from "./commands/accounts-file.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addBudgets } from "./commands/budgets.ts";
import { addConfig } from "./commands/config.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDocuments } from "./commands/documents.ts";
import { addEvents } from "./commands/events.ts";
import { addKeys } from "./commands/keys.ts";
import { addLedger } from "./commands/ledger.ts";
import { describeError } from "../boot/describe-error.ts";
import { readVersion } from "../boot/version.ts";
import { addMembers } from "./commands/members.ts";
import { addModels } from "./commands/models.ts";
import { addMoney } from "./commands/money.ts";
import { addNodes } from "./commands/nodes.ts";
import { addNotify } from "./commands/notify.ts";
import { addOperators } from "./commands/operators.ts";
import { addOrgs } from "./commands/orgs.ts";
import { addRejections } from "./commands/rejections.ts";
import { addRules } from "./commands/rules.ts";
import { addRunning } from "./commands/running.ts";
import { addServe } from "./commands/serve.ts";
import { addStore } from "./commands/store.ts";
import { addTokens } from "./commands/tokens.ts";
import { addUpkeep } from "./commands/upkeep.ts";
import { addTransfer } from "./commands/transfer.ts";
import { print } from "./commands/output.ts";
import { addTurns } from "./commands/turns.ts";
import { addUsage } from "./commands/usage.ts";
import { SURROUNDINGS } from "./help.ts";

/** Runs a command line, given the words after `turngate`; resolves to the exit code. */
export async function runProgram(words: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync([...words], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`error: ${describeError(error)}\n`);
    return 1;
  }
}

/** The command line with all its commands. */
export function buildProgram(): Command {
  const program = new CommandLine("turngate")
    .description(
      "A self-hosted gateway in the Responses-API style: one HTTP interface in front of several model providers.",
    )
    .addHelpText("after", SURROUNDINGS);
  program.version(readVersion(), "-V, --version", "print the version of Turngate");
  // Before the commands are added, since they inherit these settings.
  program.exitOverride().configureOutput({
    writeOut: print,
    // One line: commander may add a suggestion on a second one.
    outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, " ")}\n`),
  });
  addServe(program);
  addNodes(program);
  addOrgs(program);
  addMembers(program);
  addOperators(program);
  addKeys(program);
  addMoney(program);
  addBudgets(program);
  addRules(program);
  addApply(program);
  addUsage(program);
  addTurns(program);
  addRunning(program);
  addRejections(program);
  addLedger(program);
  addModels(program);
  addTokens(program);
  addEvents(program);
  addNotify(program);
  addAudit(program);
  addUpkeep(program);
  addStore(program);
  addBackup(program);
  addTransfer(program);
  addDoctor(program);
  addConfig(program);
  for (const command of listLeaves(program)) {
    if (command.name() !== "serve") command.addOption(new Option("--json", "print JSON"));
  }
  addDocuments(program);
  return program;
}

/** The commands without subcommands, in order. */
export function listLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

/** Reports an unknown option before a missing one, since it is usually the missing one misspelt. */
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
}
