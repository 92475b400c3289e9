// turngate budgets increases, grant, decline: requests for higher budgets, which holders of keys make.
import type { Command } from "commander";
import { presentBudget, presentIncrease } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION, readAmount } from "./options.ts";
import { printsList, printsRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addBudgetIncreases(budgets: Command): void {
  budgets
    .command("increases")
    .description("list the open requests for higher budgets, which holders of keys make")
    .requiredOption(...ORGANIZATION)
    .action(printsList("There is no open request.", list));
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

async function list({ org }: OrganizationOptions) {
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
