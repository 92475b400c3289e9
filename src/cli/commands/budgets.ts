// turngate budgets …: spending limits of an organization, a member, a key or a single response.
import { type Command, InvalidArgumentError, Option } from "commander";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX } from "../../contract/money.ts";
import { type BudgetName, type BudgetRequest, readBudgetName } from "../../core/money/budgets.ts";
import { readCredits } from "../../core/money/credits.ts";
import { presentBudget } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addBudgets(program: Command): void {
  const budgets = program
    .command("budgets")
    .description("spending limits of an organization, a member, a key or a single response");

  namesBudget(
    budgets
      .command("set")
      .description("set the limit of a budget; a new one includes what its current period has already spent"),
  )
    .requiredOption("--limit <credits>", "credits, 0 or more, a decimal down to a millionth", readLimit)
    .action(set);
  namesBudget(budgets.command("clear").description("remove a budget")).action(clear);
  budgets
    .command("list")
    .description("list the budgets of an organization, with what each has spent in its current period (UTC)")
    .requiredOption(...ORGANIZATION)
    .action(list);
}

function namesBudget(command: Command): Command {
  return command
    .requiredOption(...ORGANIZATION)
    .addOption(
      new Option("--scope <scope>", "what the budget limits").choices([...BUDGET_SCOPES]).makeOptionMandatory(),
    )
    .option("--id <id>", "the key, by id, or the member, by id or e-mail address")
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
  const budget = await withOrganization(options.org, ({ store, by }, { id }) =>
    store.setBudget({ organizationId: id, name, limitNano: options.limit, by }),
  );
  printRecord(presentBudget(budget), options);
}

async function clear(options: OrganizationOptions & BudgetRequest) {
  const name = readName(options);
  const budget = await withOrganization(options.org, ({ store, by }, { id }) =>
    store.clearBudget({ organizationId: id, name, by }),
  );
  printRecord(presentBudget(budget), options);
}

async function list(options: OrganizationOptions) {
  const budgets = await withOrganization(options.org, ({ store }, { id }) => store.listBudgets({ organizationId: id }));
  printList(budgets.map(presentBudget), options, "The organization has no budget yet.");
}

function readName(options: BudgetRequest): BudgetName {
  const name = readBudgetName(options);
  if ("wrong" in name) throw new OperatorError(name.wrong);
  return name;
}
