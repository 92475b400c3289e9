// turngate budgets increases, grant, decline: what holders of keys ask for beyond their budgets.
import { type Command, InvalidArgumentError } from "commander";
import { readCredits } from "../../core/money/credits.ts";
import { presentBudget, presentIncrease } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addBudgetIncreases(budgets: Command): void {
  budgets
    .command("increases")
    .description("list what holders of keys ask for beyond their budgets, and nobody has answered yet")
    .requiredOption(...ORGANIZATION)
    .action(list);
  budgets
    .command("grant")
    .argument("<request>", "the id of the request")
    .description("raise the budget until the end of its period; one without periods gets a higher limit")
    .requiredOption(...ORGANIZATION)
    .option("--by <credits>", "another amount than the one asked for", readAmount)
    .action(grant);
  budgets
    .command("decline")
    .argument("<request>", "the id of the request")
    .description("remove the request")
    .requiredOption(...ORGANIZATION)
    .action(decline);
}

function readAmount(text: string): bigint {
  const amount = readCredits(text);
  if (amount === null || amount === 0n)
    throw new InvalidArgumentError("Allowed: a decimal above 0, down to a millionth.");
  return amount;
}

async function list(options: OrganizationOptions) {
  const increases = await withOrganization(options.org, ({ store }, { id }) =>
    store.listIncreases({ organizationId: id }),
  );
  printList(increases.map(presentIncrease), options, "Nothing is asked for.");
}

async function grant(request: string, options: OrganizationOptions & { by?: bigint }) {
  const budget = await withOrganization(options.org, async ({ store, by }, { id: organizationId }) => {
    const asked = (await store.listIncreases({ organizationId })).find(({ id }) => id === request);
    const amountNano = options.by ?? asked?.amountNano;
    return amountNano === undefined ? null : store.grantIncrease({ organizationId, id: request, amountNano, by });
  });
  if (budget === null) throw unknownRequest(request);
  printRecord(presentBudget(budget), options);
}

async function decline(request: string, options: OrganizationOptions) {
  const declined = await withOrganization(options.org, ({ store, by }, { id: organizationId }) =>
    store.declineIncrease({ organizationId, id: request, by }),
  );
  if (declined === null) throw unknownRequest(request);
  printRecord(presentIncrease(declined), options);
}

function unknownRequest(request: string): OperatorError {
  return new OperatorError(`there is no open request ${request} in this organization.`);
}
