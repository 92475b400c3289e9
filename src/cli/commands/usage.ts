// turngate usage: tokens used by an organization's responses, and credits charged.
import type { Command } from "commander";
import { USAGE_ROWS_MAX } from "../../contract/manage/limits.ts";
import { NONE, type UsageGrouping } from "../../contract/money.ts";
import { readDay } from "../../core/money/billing-day.ts";
import { describeUsageGroupings, readUsageGroupings, usageTimeOf } from "../../core/money/usage-groupings.ts";
import { checkRange, readZone } from "../../core/money/usage-spans.ts";
import { presentUsage } from "../../flows/accounts/present-spending.ts";
import { textOrNone } from "../../flows/manage/query-text.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION, parsedBy, type ScopeOptions } from "./options.ts";
import { printsList } from "./output.ts";
import { findFilteredMember, findOrganization, withStore } from "./with-store.ts";

const readDayOption = parsedBy(readDay, "a day as YYYY-MM-DD, from 1970 on");

/** UTC stays a word: commander drops a null. */
const readZoneOption = parsedBy((text) => {
  const zone = readZone(text);
  return zone === null ? "UTC" : zone;
}, "the name of a time zone, such as Europe/Berlin");

/** Grouping by organization is for the usage of all; of one it leaves one row. */
const readBy = parsedBy((text) => readUsageGroupings(text, "platform"), describeUsageGroupings("platform"));

export function addUsage(program: Command): void {
  program
    .command("usage")
    .description("show the tokens that ended responses used, and the credits charged, of one organization or of all")
    .option(...ORGANIZATION)
    .option("--by <what>", "one row for each, such as model,day (default: one row for all)", readBy)
    .option("--from <day>", "first day, YYYY-MM-DD", readDayOption)
    .option("--to <day>", "last day, YYYY-MM-DD", readDayOption)
    .option("--zone <zone>", "time zone of days and months, such as Europe/Berlin (default: UTC)", readZoneOption)
    .option("--key <id>", "only a key, by id")
    .option("--member <member>", `only a member's keys, by id or e-mail address; ${NONE}: keys without a member`)
    .option("--model <id>", "only a model, by its full id")
    .action(printsList("There is no usage.", usage));
}

interface UsageOptions extends ScopeOptions {
  readonly by?: readonly UsageGrouping[];
  readonly from?: number;
  readonly to?: number;
  readonly zone?: string;
  readonly key?: string;
  readonly member?: string;
  readonly model?: string;
}

async function usage(options: UsageOptions) {
  const { by = [], from: fromDay = null, to: toDay = null, key: keyId = null, model = null } = options;
  const range = { fromDay, toDay, zone: options.zone === "UTC" ? null : (options.zone ?? null) };
  const wrong = checkRange(range, usageTimeOf(by));
  if (wrong !== null) throw new OperatorError(`${wrong.replace(/\b(from|to)\b/g, "--$1")}.`);
  const rows = await withStore(async ({ store }) => {
    const organization = options.org === undefined ? null : await findOrganization(store, options.org);
    const memberId = textOrNone(await findFilteredMember(store, organization, options.member));
    const query = { organizationId: organization?.id ?? null, by, ...range, keyId, memberId, model };
    return store.readUsage({ ...query, limit: USAGE_ROWS_MAX + 1 });
  });
  if (rows.length > USAGE_ROWS_MAX) {
    throw new OperatorError(`there are more than ${USAGE_ROWS_MAX} rows: ask for fewer days or coarser groups.`);
  }
  return rows.map((row) => presentUsage(row, by));
}
