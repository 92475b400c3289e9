// turngate usage export: the usage of a month as CSV, also with the columns of FOCUS, on stdout or in a new file.
import { type Command, Option } from "commander";
import { readAllUsageLines, readUsageLines, type UsageLinesPage } from "../../manage/usage-lines.ts";
import { USAGE_LINES_MAX } from "../../contract/manage/limits.ts";
import { writeWholeFile } from "../../../packages/kit/new-file.ts";
import { countOf, jsonOf, type OutputOptions, print, printAll } from "../../../packages/kit/output.ts";
import { withCalls, type CommandTarget } from "../manage/run-operation.ts";
import { type Columns, FORMATS } from "../usage-export/columns.ts";
import { csvLine } from "../usage-export/csv.ts";
import { addServiceOptions, ORGANIZATION } from "./options.ts";

type ExportOptions = OutputOptions &
  CommandTarget & { format: keyof typeof FORMATS; month: string; zone?: string; write?: string };

export function addUsageExport(usage: Command): void {
  const command = usage
    .command("export")
    .description("write the usage of a month, a line for each day, key, member, model and label, as CSV")
    .option(...ORGANIZATION)
    .addOption(
      new Option("--format <format>", "the columns: this service's, or those of FOCUS 1.2")
        .choices(Object.keys(FORMATS))
        .default("csv"),
    )
    .addOption(new Option("--month <month>", "YYYY-MM").makeOptionMandatory())
    .option("--zone <zone>", "time zone of the month and its days, such as Europe/Berlin (default: UTC)")
    .option("--write <file>", "a new file to write instead of stdout");
  addServiceOptions(command).action(exportUsage);
}

async function exportUsage({ format, month, zone, write, json = false, ...where }: ExportOptions): Promise<void> {
  const operation = where.org === undefined ? readAllUsageLines : readUsageLines;
  const query = { month, limit: USAGE_LINES_MAX, ...(zone !== undefined && { zone }) };
  await withCalls(operation, where, async (call) => {
    let lines = 0;
    async function* pages(): AsyncGenerator<UsageLinesPage> {
      for (let after: string | null | undefined; after !== null; ) {
        const page: UsageLinesPage = await call(operation, after === undefined ? query : { ...query, after });
        lines += page.data.length;
        yield page;
        after = page.next;
      }
    }
    if (write === undefined) return printAll(json ? jsonTexts(pages()) : csvTexts(pages(), FORMATS[format]));
    await writeWholeFile(write, csvTexts(pages(), FORMATS[format]));
    print(json ? jsonOf({ file: write, lines }) : `Wrote ${countOf(lines, "line")} to ${write}.\n`);
  });
}

async function* csvTexts(pages: AsyncIterable<UsageLinesPage>, columns: Columns): AsyncGenerator<string> {
  const cells = Object.values(columns);
  // After the first page: an error leaves nothing written.
  let header = csvLine(Object.keys(columns));
  for await (const page of pages) {
    const lines = page.data.map((line) => csvLine(cells.map((cell) => cell(line, page))));
    yield header + lines.join("");
    header = "";
  }
}

/** One reply with the lines of all pages. */
async function* jsonTexts(pages: AsyncIterable<UsageLinesPage>): AsyncGenerator<string> {
  let isFirst = true;
  let comma = "";
  for await (const { data, has_more: _, next: __, ...month } of pages) {
    if (isFirst) yield `${JSON.stringify(month).slice(0, -1)},"data":[`;
    isFirst = false;
    if (data.length > 0) yield comma + data.map((line) => JSON.stringify(line)).join(",\n");
    if (data.length > 0) comma = ",\n";
  }
  yield "]}\n";
}
