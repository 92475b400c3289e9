// turngate usage: tokens used by an organization's responses, and credits charged.
import { type Command, InvalidArgumentError, Option } from "commander";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import { presentUsage } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { type OrganizationOptions, ORGANIZATION } from "./options.ts";
import { printList } from "./output.ts";
import { withOrganization } from "./with-store.ts";

export function addUsage(program: Command): void {
  program
    .command("usage")
    .description("show the tokens that ended responses of an organization used, and the credits charged")
    .requiredOption(...ORGANIZATION)
    .addOption(new Option("--by <what>", "one row for each (default: one row for all)").choices([...USAGE_GROUPINGS]))
    .option("--from <day>", "first day, YYYY-MM-DD (UTC)", readDayOption)
    .option("--to <day>", "last day, YYYY-MM-DD (UTC)", readDayOption)
    .action(usage);
}

function readDayOption(text: string): number {
  const day = readDay(text);
  if (day === null) throw new InvalidArgumentError("Allowed: a day as YYYY-MM-DD, from 1970 on.");
  return day;
}

interface UsageOptions extends OrganizationOptions {
  readonly by?: UsageGrouping;
  readonly from?: number;
  readonly to?: number;
}

async function usage(options: UsageOptions) {
  const { by = null, from = null, to = null } = options;
  if (from !== null && to !== null && from > to) throw new OperatorError("--from is a later day than --to.");
  const rows = await withOrganization(options.org, ({ store }, { id }) =>
    store.readUsage({ organizationId: id, by, fromDay: from, toDay: to }),
  );
  printList(
    rows.map((row) => presentUsage(row, by)),
    options,
    "There is no usage.",
  );
}
