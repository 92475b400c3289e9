// Output of commands: JSON with --json, else lines for people.

export interface OutputOptions {
  readonly json?: boolean | undefined;
}

/** A record with its documented field names. */
export type Printed = Readonly<Record<string, unknown>>;

let isWatched = false;

/** Writes a text, line ends included, to stdout. The command exits with 1 if it can't be written. */
export function print(text: string): void {
  if (!isWatched) process.stdout.on("error", endWithoutOutput);
  isWatched = true;
  process.stdout.write(text);
}

/** EPIPE means that the reader has what it wanted (`| head -1`). Any other error (a full disk) may lose a secret that is shown once. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code !== "EPIPE") process.stderr.write(`error: the output can't be written: ${error.message}\n`);
  process.exit(1);
}

/** A number with its noun, such as `1 item` and `2 items`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Prints one record. */
export function printRecord(record: Printed, options: OutputOptions): void {
  if (options.json) return printJson(record);
  const rows = flatten(record);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  for (const [name, value] of rows) print(`${name.padEnd(width)}  ${value}\n`);
}

/** Prints a list of records of one shape; for people a table, or `whenEmpty`. */
export function printList(records: readonly Printed[], options: OutputOptions, whenEmpty: string): void {
  if (options.json) return printJson(records);
  if (records.length === 0) return print(`${whenEmpty}\n`);
  const found = records.map((record) => new Map(flatten(record)));
  // Not every record has every field: only a suspended organization has `suspended`.
  const header = [...new Set(found.flatMap((record) => [...record.keys()]))];
  const rows = [header, ...found.map((record) => header.map((name) => record.get(name) ?? showValue(null)))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(`${cells.join("  ").trimEnd()}\n`);
  }
}

function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** Fields and values; a nested record gives `outer.inner`. */
function flatten(record: Printed): (readonly [string, string])[] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, showValue(value)] as const];
    return flatten(value as Printed).map(([inner, shown]) => [`${name}.${inner}`, shown] as const);
  });
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
