// turngate ledger …: whether the books agree.
import { type Command, Option } from "commander";
import { showReconciliation } from "../../flows/accounts/spending-shapes.ts";
import type { Reconciliation } from "../../ports/spending.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption } from "./options.ts";
import { type OutputOptions, printList, printRecord } from "./output.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addLedger(program: Command): void {
  program
    .command("ledger")
    .description("the books: every credit that was paid in, held and charged")
    .command("check")
    .description(
      "work balances, holds, charges, budgets and usage out anew and compare; exits non-zero on any difference (amounts in nano-credits)",
    )
    .addOption(new Option("--org <org>", "only this organization, by id or name"))
    .addOption(jsonOption())
    .action(check);
}

async function check(options: OutputOptions & { org?: string }) {
  const reconciliation = await withStore(async ({ store }) => {
    const organization = options.org === undefined ? null : await findOrganization(store, options.org);
    return store.reconcile({ organizationId: organization?.id ?? null });
  });
  const shown = showReconciliation(reconciliation);
  if (options.json) printRecord(shown, options);
  else printList(shown.differences, options, sayAgreement(reconciliation));
  const { differencesFound } = reconciliation;
  if (differencesFound > 0)
    throw new OperatorError(`the books do not agree: ${count(differencesFound, "difference")}.`);
}

function sayAgreement({ organizations, transfers, responses, budgetPeriods }: Reconciliation): string {
  const looked = [
    count(organizations, "organization"),
    count(transfers, "transfer"),
    count(responses, "response"),
    count(budgetPeriods, "period of a budget", "periods of budgets"),
  ];
  return `The books agree: ${looked.join(", ")}.`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
