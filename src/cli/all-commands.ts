// All commands of the command line.
import { type Command, Option } from "commander";
import { AUDIT } from "../manage/audit.ts";
import { BUDGET_INCREASES } from "../manage/budget-increases.ts";
import { BUDGETS } from "../manage/budgets.ts";
import { CREDITS, PAYMENT_METHOD, PLAN } from "../manage/credits.ts";
import { EVENTS } from "../manage/events.ts";
import { KEYS } from "../manage/keys.ts";
import { BOOKS, LEDGER } from "../manage/ledger.ts";
import { MEMBERS } from "../manage/members.ts";
import { ERASURE, NODES } from "../manage/nodes.ts";
import { OPERATORS } from "../manage/operators.ts";
import { ORGANIZATIONS } from "../manage/organizations.ts";
import { ERRORS } from "../manage/errors.ts";
import { FAILURES } from "../manage/failures.ts";
import { FIND } from "../manage/find.ts";
import { REJECTIONS } from "../manage/rejections.ts";
import { RETENTION } from "../manage/retention.ts";
import { LIMITS, POLICY } from "../manage/rules.ts";
import { RUNNING } from "../manage/running.ts";
import { SPENDING } from "../manage/spending.ts";
import { TOKENS } from "../manage/tokens.ts";
import { TURN_FIGURES } from "../manage/turn-figures.ts";
import { TURNS } from "../manage/turns.ts";
import { USAGE } from "../manage/usage.ts";
import { addApply, addOrgsFile, addPlanOfFile } from "./commands/accounts-file.ts";
import { addBackup } from "./commands/backup.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConfig } from "./commands/config.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDocuments } from "./commands/documents.ts";
import { addMint } from "./commands/keys.ts";
import { addMigrate } from "./commands/migrate.ts";
import { addModels } from "./commands/models.ts";
import { addMoving } from "./commands/moving.ts";
import { addExportData } from "./commands/organization-data.ts";
import { addRecording } from "./commands/recording.ts";
import { addSecret } from "./commands/secret.ts";
import { addServe } from "./commands/serve.ts";
import { addStore } from "./commands/store.ts";
import { addUsageExport } from "./commands/usage-export.ts";
import { addOperations } from "./manage/add-operations.ts";
import { addNotices } from "./satellites.ts";

export function addAllCommands(program: Command): void {
  addServe(program);
  addOperations(program, NODES);
  const orgs = addOperations(program, ORGANIZATIONS);
  addOperations(program, RETENTION);
  addOrgsFile(orgs);
  addExportData(orgs);
  addOperations(program, MEMBERS);
  addOperations(program, OPERATORS);
  addMint(addOperations(program, KEYS));
  addOperations(program, PAYMENT_METHOD);
  addPlanOfFile(addOperations(program, PLAN));
  addOperations(program, CREDITS);
  addOperations(program, BUDGETS);
  addOperations(program, BUDGET_INCREASES);
  addOperations(program, SPENDING);
  addOperations(program, POLICY);
  addOperations(program, LIMITS);
  addApply(program);
  addUsageExport(addOperations(program, USAGE));
  addOperations(program, TURNS);
  addOperations(program, TURN_FIGURES);
  addOperations(program, RUNNING);
  addOperations(program, ERRORS);
  addOperations(program, FAILURES);
  addOperations(program, FIND);
  addOperations(program, REJECTIONS);
  addOperations(program, LEDGER);
  addOperations(program, BOOKS);
  addModels(program);
  addOperations(program, TOKENS);
  addOperations(program, EVENTS);
  addNotices(program);
  addOperations(program, AUDIT);
  addMigrate(program);
  addOperations(program, ERASURE);
  addStore(program);
  addSecret(program);
  addBackup(program);
  addMoving(program);
  addDoctor(program);
  addConfig(program);
  addRecording(program);
  for (const command of listLeaves(program)) {
    if (command.name() !== "serve") command.addOption(new Option("--json", "print JSON"));
  }
  addDocuments(program);
  addCompletion(program);
}

/** The commands without subcommands, in order. */
export function listLeaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}
