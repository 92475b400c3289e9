// turngate usage: tokens used by an organization's responses, and credits charged.
import { type Command, InvalidArgumentError } from "commander";
import { USAGE_ROWS_MAX } from "../../contract/manage/limits.ts";
import type { UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import { describeUsageGroupings, readUsageGroupings } from "../../core/money/usage-groupings.ts";
import { presentUsage } from "../../flows/accounts/present-spending.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION } from "./options.ts";
import { type OutputOptions, printList } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

export function addUsage(program: Command): void {
  program
    .command("usage")
    .description("show the tokens that ended responses used, and the credits charged, of one organization or of all")
    .option(...ORGANIZATION)
    .option("--by <what>", "one row for each, such as model,day (default: one row for all)", readBy)
    .option("--from <day>", "first day, YYYY-MM-DD (UTC)", readDayOption)
    .option("--to <day>", "last day, YYYY-MM-DD (UTC)", readDayOption)
    .action(usage);
}

function readDayOption(text: string): number {
  const day = readDay(text);
  if (day === null) throw new InvalidArgumentError("Allowed: a day as YYYY-MM-DD, from 1970 on.");
  return day;
}

/** Grouping by organization is for the usage of all; of one it leaves one row. */
function readBy(text: string): readonly UsageGrouping[] {
  const by = readUsageGroupings(text, "platform");
  if (by === null) throw new InvalidArgumentError(`Allowed: ${describeUsageGroupings("platform")}.`);
  return by;
}

interface UsageOptions extends OutputOptions {
  readonly org?: string;
  readonly by?: readonly UsageGrouping[];
  readonly from?: number;
  readonly to?: number;
}

async function usage(options: UsageOptions) {
  const { by = [], from: fromDay = null, to: toDay = null } = options;
  if (fromDay !== null && toDay !== null && fromDay > toDay)
    throw new OperatorError("--from is a later day than --to.");
  const rows = await withStore(async ({ store }) => {
    const organizationId = await findOrganizationId(store, options.org);
    return store.readUsage({ organizationId, by, fromDay, toDay, limit: USAGE_ROWS_MAX + 1 });
  });
  if (rows.length > USAGE_ROWS_MAX) {
    throw new OperatorError(`there are more than ${USAGE_ROWS_MAX} rows: ask for fewer days or coarser groups.`);
  }
  printList(
    rows.map((row) => presentUsage(row, by)),
    options,
    "There is no usage.",
  );
}
