// The command line: every command by its file, and how errors are told.
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { Refusal } from "../contract/errors.ts";
import { AccountError } from "../ports/accounts.ts";
import { StoreError } from "../ports/store.ts";
import { addAudit } from "./commands/audit.ts";
import { addBudgets } from "./commands/budgets.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDocuments } from "./commands/documents.ts";
import { addKeys } from "./commands/keys.ts";
import { addLedger } from "./commands/ledger.ts";
import { addMembers } from "./commands/members.ts";
import { addModels } from "./commands/models.ts";
import { addMoney } from "./commands/money.ts";
import { addOrgs } from "./commands/orgs.ts";
import { addRules } from "./commands/rules.ts";
import { addServe } from "./commands/serve.ts";
import { addTokens } from "./commands/tokens.ts";
import { addUpkeep } from "./commands/upkeep.ts";
import { addUsage } from "./commands/usage.ts";
import { OperatorError } from "./operator-error.ts";

/** Runs a command line, the words behind `turngate`; resolves to the exit code. */
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
  const program = new Command("turngate").description(
    "A self-hosted gateway in the Responses-API style: one HTTP interface in front of several model providers.",
  );
  program.version(readVersion(), "-V, --version", "print the version of Turngate");
  // Before the commands are added: they take these over.
  program.exitOverride().configureOutput({
    // An error is one line; the suggestion that commander may add stands behind it.
    outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, " ")}\n`),
  });
  addServe(program);
  addOrgs(program);
  addMembers(program);
  addKeys(program);
  addMoney(program);
  addBudgets(program);
  addRules(program);
  addUsage(program);
  addLedger(program);
  addModels(program);
  addTokens(program);
  addAudit(program);
  addUpkeep(program);
  addDoctor(program);
  addDocuments(program);
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** One line: what an operator can put right in its own words, anything else with what it is. */
function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s*\n\s*/g, " ");
  const isTold = [OperatorError, AccountError, StoreError, Refusal].some((kind) => error instanceof kind);
  if (isTold) return line;
  // An error of the system (a file that can't be written, a port that is taken) says enough by itself.
  return error instanceof Error && !("syscall" in error) ? `${error.name}: ${line}` : line;
}
