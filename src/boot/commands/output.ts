// What a command prints: JSON with --json, else lines for people.

export interface OutputOptions {
  readonly json?: boolean | undefined;
}

/** A record with names as they are documented. */
export type Printed = Readonly<Record<string, unknown>>;

let isWatched = false;

/** Writes to stdout, a text with its line ends. What can't be written ends the command with 1. */
export function print(text: string): void {
  if (!isWatched) process.stdout.on("error", endWithoutOutput);
  isWatched = true;
  process.stdout.write(text);
}

/** A reader who went away has what was wanted (`| head -1`); anything else (a full disk) loses a secret that is shown this once. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code !== "EPIPE") process.stderr.write(`error: the output can't be written: ${error.message}\n`);
  process.exit(1);
}

/** Prints one record. */
export function printRecord(record: Printed, options: OutputOptions): void {
  if (options.json) return printJson(record);
  const rows = flatten(record);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  for (const [name, value] of rows) print(`${name.padEnd(width)}  ${value}\n`);
}

/** Prints a list of records of one shape; for people a table, `whenEmpty` in place of an empty one. */
export function printList(records: readonly Printed[], options: OutputOptions, whenEmpty: string): void {
  if (options.json) return printJson(records);
  if (records.length === 0) return print(`${whenEmpty}\n`);
  const found = records.map((record) => new Map(flatten(record)));
  // Not all have every name: an organization says that it is suspended only when it is.
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

/** Names and values, those of a record inside it under `outer.inner`. */
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
