// turngate budgets increases, grant, decline: requests for higher budgets, which holders of keys make.
import type { Command } from "commander";
import { presentBudget, presentIncrease } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION, readAmount } from "./options.ts";
import { printList, printRecord } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addBudgetIncreases(budgets: Command): void {
  budgets
    .command("increases")
    .description("list the open requests for higher budgets, which holders of keys make")
    .requiredOption(...ORGANIZATION)
    .action(list);
  budgets
    .command("grant")
    .argument("<request>", "the id of the request")
    .description(
      "grant a request: raise the budget until the end of its period; one without periods gets a higher limit",
    )
    .requiredOption(...ORGANIZATION)
    .option("--by <credits>", "credits to grant (default: the amount that was asked for)", readAmount)
    .action(grant);
  budgets
    .command("decline")
    .argument("<request>", "the id of the request")
    .description("decline a request: remove it")
    .requiredOption(...ORGANIZATION)
    .action(decline);
}

async function list(options: OrganizationOptions) {
  const increases = await withOrganization(options.org, ({ store }, { id }) =>
    store.listIncreases({ organizationId: id }),
  );
  printList(increases.map(presentIncrease), options, "There is no open request.");
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
  return new OperatorError(`the organization has no open request ${request}; \`budgets increases\` shows them.`);
}
