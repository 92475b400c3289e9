// turngate budgets …: spending limits of an organization, a member, a key or a single response.
import { type Command, InvalidArgumentError, Option } from "commander";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX } from "../../contract/money.ts";
import { type BudgetName, type BudgetRequest, readBudgetName } from "../../core/money/budgets.ts";
import { readCredits } from "../../core/money/credits.ts";
import { presentBudget } from "../../flows/accounts/present-spending.ts";
import { tryOrganizationBudget } from "../../flows/accounts/trials.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { addBudgetIncreases } from "./budget-increases.ts";
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
  namesBudget(
    budgets
      .command("try")
      .description("show which turns a budget would have rejected in the last month; nothing is changed"),
  )
    .requiredOption("--limit <credits>", "credits, 0 or more, a decimal down to a millionth", readLimit)
    .action(tryOut);
  namesBudget(budgets.command("raise").description("raise the limit of a budget until a time"))
    .requiredOption("--by <credits>", "credits in addition to the limit; 0 ends a raise", readLimit)
    .option("--until <time>", "the end, such as 2026-11-30T18:00Z, within the next 366 days", readTime)
    .action(raise);
  namesBudget(budgets.command("clear").description("remove a budget")).action(clear);
  budgets
    .command("list")
    .description("list the budgets of an organization, with what each has spent in its current period (UTC)")
    .requiredOption(...ORGANIZATION)
    .action(list);
  addBudgetIncreases(budgets);
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

async function tryOut(options: OrganizationOptions & BudgetRequest & { limit: bigint }) {
  const name = readName(options);
  const { periods, ...trial } = await withOrganization(options.org, (services, { id }) =>
    tryOrganizationBudget(services, id, { name, limitNano: options.limit }),
  );
  if (options.json) return printRecord({ ...trial, periods }, options);
  printRecord(trial, options);
  printList(periods, options, "There were no turns.");
}

function readTime(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(atMs)) throw new InvalidArgumentError("Allowed: a time with its zone, such as 2026-11-30T18:00Z.");
  return atMs;
}

async function raise(options: OrganizationOptions & BudgetRequest & { by: bigint; until?: number }) {
  const name = readName(options);
  if (options.by > 0n && options.until === undefined)
    throw new OperatorError("--until is missing: a raise has an end.");
  const budget = await withOrganization(options.org, ({ store, by }, { id }) => {
    const { by: amountNano, until: untilMs = 0 } = options;
    return store.raiseBudget({ organizationId: id, name, raise: { amountNano, untilMs }, by });
  });
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
