// turngate budgets …: what an organization, a member, a key or a single response may spend.
import { type Command, InvalidArgumentError, Option } from "commander";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX } from "../../contract/spending.ts";
import { type BudgetName, type BudgetRequest, readBudgetName } from "../../core/accounts/budgets.ts";
import { readCredits } from "../../core/accounts/credits.ts";
import { showBudget } from "../../flows/accounts/spending-shapes.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, type OrganizationOptions, organizationOption } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addBudgets(program: Command): void {
  const budgets = program
    .command("budgets")
    .description("what an organization, a member, a key or a single response may spend");

  namesBudget(
    budgets
      .command("set")
      .description("set the limit of a budget; a new one counts what its current period has spent before"),
  )
    .requiredOption("--limit <credits>", "how many credits, 0 or more, a decimal down to a millionth", readLimit)
    .addOption(jsonOption())
    .action(set);
  namesBudget(budgets.command("clear").description("take a budget away")).addOption(jsonOption()).action(clear);
  budgets
    .command("list")
    .description("list the budgets of an organization, each in its current period (UTC)")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(list);
}

function namesBudget(command: Command): Command {
  return command
    .addOption(organizationOption())
    .addOption(new Option("--scope <scope>", "what it limits").choices([...BUDGET_SCOPES]).makeOptionMandatory())
    .option("--id <id>", "which key, by id, or which member, by id or e-mail address")
    .addOption(
      new Option(
        "--period <period>",
        "UTC day, calendar month or everything (default: total; organization-day and response need none)",
      ).choices([...BUDGET_PERIODS]),
    );
}

function readLimit(text: string): bigint {
  const limit = readCredits(text);
  if (limit === null) {
    throw new InvalidArgumentError(`Allowed: a decimal, 0 or more, down to a millionth, at most ${CREDITS_MAX}.`);
  }
  return limit;
}

async function set(options: OrganizationOptions & BudgetRequest & { limit: bigint }) {
  const name = readName(options);
  const budget = await withStore(async ({ store, by }) => {
    const { id } = await findOrganization(store, options.org);
    return store.setBudget({ organizationId: id, name, limitNano: options.limit, by });
  });
  printRecord(showBudget(budget), options);
}

async function clear(options: OrganizationOptions & BudgetRequest) {
  const name = readName(options);
  const budget = await withStore(async ({ store, by }) => {
    const { id } = await findOrganization(store, options.org);
    return store.clearBudget({ organizationId: id, name, by });
  });
  printRecord(showBudget(budget), options);
}

async function list(options: OrganizationOptions) {
  const budgets = await withStore(async ({ store }) => {
    const { id } = await findOrganization(store, options.org);
    return store.listBudgets({ organizationId: id });
  });
  printList(budgets.map(showBudget), options, "The organization has no budget yet.");
}

function readName(options: BudgetRequest): BudgetName {
  const name = readBudgetName(options);
  if ("wrong" in name) throw new OperatorError(name.wrong);
  return name;
}
