// turngate ledger …: its transfers, and whether the books are consistent.
import type { Command } from "commander";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, TRANSFERS_READ_MAX } from "../../contract/manage/limits.ts";
import { presentReconciliation, presentTransfer } from "../../flows/accounts/present-spending.ts";
import type { Reconciliation, Transfer } from "../../ports/store/money.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions, wholeNumber } from "./options.ts";
import { countOf, type OutputOptions, printList, type Printed, printRecord } from "./output.ts";
import { findOrganizationId, withOrganization, withStore } from "./with-store.ts";

export function addLedger(program: Command): void {
  const ledger = program.command("ledger").description("the double-entry ledger of all credits");
  ledger
    .command("list")
    .description("list the transfers of an organization, newest first")
    .requiredOption(...ORGANIZATION)
    .option("--top-ups", "only top-ups")
    .addOption(limitOption("transfers", AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT))
    .option("--before <id>", "only transfers before this one", wholeNumber(1))
    .action(list);
  ledger
    .command("check")
    .description(
      "derive balances, holds, charges, budgets and usage and compare; exits non-zero on any difference (amounts in nano-credits)",
    )
    .option(...ORGANIZATION)
    .action(check);
}

interface ListOptions extends OrganizationOptions {
  readonly topUps?: boolean;
  readonly limit: number;
  readonly before?: number;
}

async function list(options: ListOptions) {
  const { topUps = false, limit } = options;
  const transfers = await withOrganization(options.org, async ({ store }, { id: organizationId }) => {
    const found: Transfer[] = [];
    let before = options.before ?? null;
    do {
      const rest = { limit: limit - found.length, readsMax: TRANSFERS_READ_MAX };
      const find = { organizationId, only: topUps ? ("topup" as const) : null, before, ...rest };
      // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
      const page = await store.listTransfers(find);
      found.push(...page.transfers);
      before = page.next;
    } while (before !== null && found.length < limit);
    return found;
  });
  const shown: readonly Printed[] = transfers.map(presentTransfer);
  const brief = ({ at, ...transfer }: Printed) => ({ ...transfer, at: new Date(Number(at) * 1000).toISOString() });
  printList(options.json ? shown : shown.map(brief), options, "There is no transfer yet.");
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
    throw new OperatorError(`the books do not agree: ${countOf(differencesFound, "difference")}.`);
}

function describeAgreement({ organizations, transfers, responses, budgetPeriods }: Reconciliation): string {
  const checked = [
    countOf(organizations, "organization"),
    countOf(transfers, "transfer"),
    countOf(responses, "response"),
    countOf(budgetPeriods, "budget period"),
  ];
  return `The books agree: ${checked.join(", ")}.`;
}
