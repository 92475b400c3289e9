// What a command prints: JSON with --json, else lines for people.

export interface OutputOptions {
  readonly json?: boolean | undefined;
}

/** A record with names as they are documented. */
export type Printed = Readonly<Record<string, unknown>>;

/** Prints one record. */
export function printRecord(record: Printed, options: OutputOptions): void {
  if (options.json) return printJson(record);
  const rows = flatten(record);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`);
}

/** Prints a list of records of one shape; for people a table, `whenEmpty` in place of an empty one. */
export function printList(records: readonly Printed[], options: OutputOptions, whenEmpty: string): void {
  if (options.json) return printJson(records);
  const [first] = records;
  if (first === undefined) return console.log(whenEmpty);
  const header = flatten(first).map(([name]) => name);
  const rows = [header, ...records.map((record) => flatten(record).map(([, value]) => value))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
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
