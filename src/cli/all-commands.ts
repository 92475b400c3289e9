// All commands of the command line.
import { type Command, Option } from "commander";
import { addApply, addOrgsFile, addPlanOfFile } from "./commands/accounts-file.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addConfig } from "./commands/config.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDocuments } from "./commands/documents.ts";
import { addEvents } from "./commands/events.ts";
import { addKeys } from "./commands/keys.ts";
import { addLedger } from "./commands/ledger.ts";
import { addModels } from "./commands/models.ts";
import { addNodes } from "./commands/nodes.ts";
import { addNotify } from "./commands/notify.ts";
import { addRetention } from "./commands/orgs.ts";
import { addExportData } from "./commands/organization-data.ts";
import { addRejections } from "./commands/rejections.ts";
import { addRules } from "./commands/rules.ts";
import { addStore } from "./commands/store.ts";
import { addUpkeep } from "./commands/upkeep.ts";
import { addMoving } from "./commands/moving.ts";
import { addTurns } from "./commands/turns.ts";
import { addUsage } from "./commands/usage.ts";
import { addServe } from "./commands/serve.ts";
import { BUDGETS } from "../manage/budgets.ts";
import { CREDITS, PAYMENT_METHOD, PLAN } from "../manage/credits.ts";
import { MEMBERS } from "../manage/members.ts";
import { OPERATORS } from "../manage/operators.ts";
import { ORGANIZATIONS } from "../manage/organizations.ts";
import { TOKENS } from "../manage/tokens.ts";
import { addOperations } from "./manage/add-operations.ts";
import { listLeaves } from "./leaves.ts";

export function addAllCommands(program: Command): void {
  addServe(program);
  addNodes(program);
  const orgs = addOperations(program, ORGANIZATIONS);
  addRetention(orgs);
  addOrgsFile(orgs);
  addExportData(orgs);
  addOperations(program, MEMBERS);
  addOperations(program, OPERATORS);
  addKeys(program);
  addOperations(program, PAYMENT_METHOD);
  addPlanOfFile(addOperations(program, PLAN));
  addOperations(program, CREDITS);
  addOperations(program, BUDGETS);
  addRules(program);
  addApply(program);
  addUsage(program);
  addTurns(program);
  addRejections(program);
  addLedger(program);
  addModels(program);
  addOperations(program, TOKENS);
  addEvents(program);
  addNotify(program);
  addAudit(program);
  addUpkeep(program);
  addStore(program);
  addBackup(program);
  addMoving(program);
  addDoctor(program);
  addConfig(program);
  for (const command of listLeaves(program)) {
    if (command.name() !== "serve") command.addOption(new Option("--json", "print JSON"));
  }
  addDocuments(program);
}
