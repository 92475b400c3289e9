// turngate ledger …: whether the books are consistent.
import type { Command } from "commander";
import { presentReconciliation } from "../../flows/accounts/present-spending.ts";
import type { Reconciliation } from "../../ports/store/money.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

export function addLedger(program: Command): void {
  program
    .command("ledger")
    .description("the double-entry ledger of all credits")
    .command("check")
    .description(
      "derive balances, holds, charges, budgets and usage and compare; exits non-zero on any difference (amounts in nano-credits)",
    )
    .option(...ORGANIZATION)
    .action(check);
}

async function check(options: OutputOptions & { org?: string }) {
  const reconciliation = await withStore(async ({ store }) =>
    store.reconcile({ organizationId: await findOrganizationId(store, options.org) }),
  );
  const shown = presentReconciliation(reconciliation);
  if (options.json) printRecord(shown, options);
  else printList(shown.differences, options, describeAgreement(reconciliation));
  const { differencesFound } = reconciliation;
  if (differencesFound > 0)
    throw new OperatorError(`the books do not agree: ${count(differencesFound, "difference")}.`);
}

function describeAgreement({ organizations, transfers, responses, budgetPeriods }: Reconciliation): string {
  const checked = [
    count(organizations, "organization"),
    count(transfers, "transfer"),
    count(responses, "response"),
    count(budgetPeriods, "budget period"),
  ];
  return `The books agree: ${checked.join(", ")}.`;
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}
