// turngate ledger …: its transfers, and whether the books are consistent.
import type { Command } from "commander";
import { timeOf } from "../../base/time.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { presentReconciliation } from "../../flows/accounts/present-spending.ts";
import { listTransfers } from "../../flows/manage/ledger-page.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions, type ScopeOptions, wholeNumber } from "./options.ts";
import { countOf, prints, printsList, tableOf } from "./output.ts";
import { queryOf, readPages } from "./queries.ts";
import { withOrganization, withScope } from "./with-store.ts";

export function addLedger(program: Command): void {
  const ledger = program.command("ledger").description("the double-entry ledger of all credits");
  ledger
    .command("list")
    .description("list the transfers of an organization, newest first")
    .requiredOption(...ORGANIZATION)
    .option("--top-ups", "only top-ups")
    .addOption(limitOption("transfers", AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT))
    .option("--before <id>", "only transfers before this one", wholeNumber(1))
    .action(printsList("There is no transfer yet.", list, ({ at, ...transfer }) => ({ ...transfer, at: timeOf(at) })));
  ledger
    .command("check")
    .description(
      "derive balances, holds, charges, budgets and usage and compare; exits non-zero on any difference (amounts in nano-credits)",
    )
    .option(...ORGANIZATION)
    .action(prints(check, describe, failOnDifferences));
}

function list(options: OrganizationOptions & { topUps?: boolean }) {
  return withOrganization(options.org, (services, organization) => {
    const query = queryOf("listTransfers", { ...options, kind: options.topUps ? "topup" : null });
    return readPages(query, (page) => listTransfers({ services, organization }, { ...query, ...page }));
  });
}

async function check({ org }: ScopeOptions) {
  return presentReconciliation(
    await withScope(org, ({ store }, organizationId) => store.reconcile({ organizationId })),
  );
}

type Checked = Awaited<ReturnType<typeof check>>;

function describe({ differences, organizations, transfers, responses, budget_periods: budgetPeriods }: Checked) {
  const checked = [
    countOf(organizations, "organization"),
    countOf(transfers, "transfer"),
    countOf(responses, "response"),
    countOf(budgetPeriods, "budget period"),
  ];
  return tableOf(differences, `The books agree: ${checked.join(", ")}.`);
}

function failOnDifferences({ differences_found: found }: Checked): void {
  if (found > 0) throw new OperatorError(`the books do not agree: ${countOf(found, "difference")}.`);
}
