// turngate budgets …: spending limits of an organization, a member, a key or a single response.
import { type Command, Option } from "commander";
import { BUDGET_PERIODS, BUDGET_SCOPES, CREDITS_MAX } from "../../contract/money.ts";
import { type BudgetName, type BudgetRequest, readBudgetName } from "../../core/money/budgets.ts";
import { readCredits } from "../../core/money/credits.ts";
import { presentBudget, presentIncrease } from "../../flows/accounts/present-spending.ts";
import { tryOrganizationBudget } from "../../flows/accounts/trials.ts";
import type { Budget } from "../../ports/store/money.ts";
import type { Store } from "../../ports/store/store.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION, parsedBy, readAmount } from "./options.ts";
import { linesOf, prints, printsList, printsRecord, tableOf } from "./output.ts";
import { withOrganization } from "./with-store.ts";

const readLimit = parsedBy(readCredits, `a decimal, 0 or more, down to a millionth, at most ${CREDITS_MAX}`);

const readTime = parsedBy((text) => {
  const atMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? null : atMs;
}, "a time with its zone, such as 2026-11-30T18:00Z");

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
    .action(
      changesBudget((store, named, { limit: limitNano }: BudgetOptions & { limit: bigint }) =>
        store.setBudget({ ...named, limitNano }),
      ),
    );
  namesBudget(
    budgets
      .command("try")
      .description("show which turns a budget would have rejected in the last month; nothing is changed"),
  )
    .requiredOption("--limit <credits>", "credits, 0 or more, a decimal down to a millionth", readLimit)
    .action(prints(tryOut, ({ periods, ...trial }) => linesOf(trial) + tableOf(periods, "There were no turns.")));
  namesBudget(budgets.command("raise").description("raise the limit of a budget until a time"))
    .requiredOption("--by <credits>", "credits in addition to the limit; 0 ends a raise", readLimit)
    .option("--until <time>", "the end, such as 2026-11-30T18:00Z, within the next 366 days", readTime)
    .action(
      changesBudget((store, named, { by: amountNano, until }: BudgetOptions & { by: bigint; until?: number }) => {
        if (amountNano > 0n && until === undefined) throw new OperatorError("--until is missing: a raise has an end.");
        return store.raiseBudget({ ...named, raise: { amountNano, untilMs: until ?? 0 } });
      }),
    );
  namesBudget(budgets.command("clear").description("remove a budget")).action(
    changesBudget((store, named) => store.clearBudget(named)),
  );
  budgets
    .command("list")
    .description("list the budgets of an organization, with what each has spent in its current period (UTC)")
    .requiredOption(...ORGANIZATION)
    .action(printsList("The organization has no budget yet.", list));
  budgets
    .command("increases")
    .description("list the open requests for higher budgets, which holders of keys make")
    .requiredOption(...ORGANIZATION)
    .action(printsList("There is no open request.", listIncreases));
  budgets
    .command("grant")
    .argument("<request>", "the id of the request")
    .description(
      "grant a request: raise the budget until the end of its period; one without periods gets a higher limit",
    )
    .requiredOption(...ORGANIZATION)
    .option("--by <credits>", "credits to grant (default: the amount that was asked for)", readAmount)
    .action(printsRecord(grant));
  budgets
    .command("decline")
    .argument("<request>", "the id of the request")
    .description("decline a request: remove it")
    .requiredOption(...ORGANIZATION)
    .action(printsRecord(decline));
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

/** The options that `namesBudget` adds. */
type BudgetOptions = OrganizationOptions & BudgetRequest;

/** The action of a command that changes the budget that its options name, and prints it. */
function changesBudget<Options extends BudgetOptions>(
  change: (store: Store, named: BudgetChange, options: Options) => Promise<Budget>,
) {
  return printsRecord(async (options: Options) => {
    const name = readName(options);
    const budget = await withOrganization(options.org, ({ store, by }, { id: organizationId }) =>
      change(store, { organizationId, name, by }, options),
    );
    return presentBudget(budget);
  });
}

type BudgetChange = Parameters<Store["clearBudget"]>[0];

async function tryOut(options: BudgetOptions & { limit: bigint }) {
  const name = readName(options);
  return withOrganization(options.org, (services, { id }) =>
    tryOrganizationBudget(services, id, { name, limitNano: options.limit }),
  );
}

async function list({ org }: OrganizationOptions) {
  const budgets = await withOrganization(org, ({ store }, { id }) => store.listBudgets({ organizationId: id }));
  return budgets.map(presentBudget);
}

function readName(options: BudgetRequest): BudgetName {
  const name = readBudgetName(options);
  if ("wrong" in name) throw new OperatorError(name.wrong);
  return name;
}

async function listIncreases({ org }: OrganizationOptions) {
  const increases = await withOrganization(org, ({ store }, { id }) => store.listIncreases({ organizationId: id }));
  return increases.map(presentIncrease);
}

async function grant(request: string, { org, by: given }: OrganizationOptions & { by?: bigint }) {
  const budget = await withOrganization(org, async ({ store, by }, { id: organizationId }) => {
    const asked = (await store.listIncreases({ organizationId })).find(({ id }) => id === request);
    const amountNano = given ?? asked?.amountNano;
    return amountNano === undefined ? null : store.grantIncrease({ organizationId, id: request, amountNano, by });
  });
  if (budget === null) throw unknownRequest(request);
  return presentBudget(budget);
}

async function decline(request: string, { org }: OrganizationOptions) {
  const declined = await withOrganization(org, ({ store, by }, { id: organizationId }) =>
    store.declineIncrease({ organizationId, id: request, by }),
  );
  if (declined === null) throw unknownRequest(request);
  return presentIncrease(declined);
}

function unknownRequest(request: string): OperatorError {
  return new OperatorError(`the organization has no open request ${request}; \`budgets increases\` shows them.`);
}
