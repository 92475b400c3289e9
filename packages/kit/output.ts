// What commands print: JSON with --json, else text for people.
import { once } from "node:events";
import type { Command } from "commander";

export interface OutputOptions {
  readonly json?: boolean | undefined;
}

/** A record with its documented field names. */
export type Printed = Readonly<Record<string, unknown>>;

let isWatched = false;

/**
 * Writes a text, line ends included, to stdout. The command ends if it can't be written: with 1, or as it would have when
 * the reader has closed the pipe.
 */
export function print(text: string): void {
  if (!isWatched) process.stdout.on("error", endWithoutOutput);
  isWatched = true;
  process.stdout.write(text);
}

/** Prints texts as fast as the reader takes them. Throws what `texts` throws. */
export async function printAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    print(text);
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }
}

/** EPIPE means that the reader has what it wanted (`| head -1`). Any other error (a full disk) may lose a secret that is shown once. */
function endWithoutOutput(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: the output can't be written: ${error.message}\n`);
  process.exit(1);
}

/** A number with its noun, such as `1 item` and `2 items`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * The action of a command that prints what `find` resolves to: JSON with --json, else the text that `describe` makes of it. Both get the
 * arguments and options of the command. After that `judge` may throw: what was found is printed, and the command fails.
 */
export function prints<Words extends readonly unknown[], Found>(
  find: (...words: Words) => Promise<Found>,
  describe: (found: Found, words: Words) => string,
  judge: (found: Found) => void = () => {},
): (this: Command, ...words: Words) => Promise<void> {
  return async function act(...words) {
    const found = await find(...words);
    print(this.opts<OutputOptions>().json ? jsonOf(found) : describe(found, words));
    judge(found);
  };
}

/** The action of a command that prints a record. */
export function printsRecord<Words extends readonly unknown[]>(find: (...words: Words) => Promise<Printed>) {
  return prints(find, linesOf);
}

export function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A record as lines of names and values. */
export function linesOf(record: Printed): string {
  const rows = flatten(record);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("");
}

/** Records of one shape as a table, or `whenEmpty`. */
export function tableOf(records: readonly Printed[], whenEmpty: string): string {
  if (records.length === 0) return `${whenEmpty}\n`;
  const found = records.map((record) => new Map(flatten(record)));
  // Not every record has every field: only a suspended organization has `suspended`.
  const header = [...new Set(found.flatMap((record) => [...record.keys()]))];
  const rows = [header, ...found.map((record) => header.map((name) => record.get(name) ?? showValue(null)))];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
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
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
