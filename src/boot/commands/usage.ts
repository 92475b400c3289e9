// turngate usage: what an organization's responses used and were charged for.
import { type Command, InvalidArgumentError, Option } from "commander";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../contract/spending.ts";
import { readDay } from "../../core/accounts/billing-day.ts";
import { showUsage } from "../../flows/accounts/spending-shapes.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, type OrganizationOptions, organizationOption } from "./options.ts";
import { printList } from "./output.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addUsage(program: Command): void {
  program
    .command("usage")
    .description("show what the ended responses of an organization used and were charged for")
    .addOption(organizationOption())
    .addOption(
      new Option("--by <what>", "a row for each; one row for all when not given").choices([...USAGE_GROUPINGS]),
    )
    .option("--from <day>", "first day, YYYY-MM-DD (UTC)", readDayOption)
    .option("--to <day>", "last day, YYYY-MM-DD (UTC)", readDayOption)
    .addOption(jsonOption())
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
  const rows = await withStore(async ({ store }) => {
    const { id } = await findOrganization(store, options.org);
    return store.readUsage({ organizationId: id, by, fromDay: from, toDay: to });
  });
  printList(
    rows.map((row) => showUsage(row, by)),
    options,
    "Nothing was used.",
  );
}
