// turngate store copy: an embedded store moves to PostgreSQL.
import type { Command } from "commander";
import { describeDatabase, readDatabaseUrl } from "../../config/database-url.ts";
import { readConfig } from "../../config/config.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { createSystemClock } from "../../system/clock.ts";
import { type OutputOptions, print, prints } from "../../../packages/kit/output.ts";

/** Characters of the bar. */
const BAR = 30;

export function addStore(program: Command): void {
  program
    .command("store")
    .description("the store as a whole")
    .command("copy")
    .description("copy the embedded store into an empty PostgreSQL, and verify the copy; stop the service first")
    .requiredOption("--to <url>", "postgres://USER:PASSWORD@HOST:PORT/DATABASE; PGPASSWORD may hold the password")
    .action(prints(copy, describeCopy));
}

async function copy({ to: url, json }: OutputOptions & { to: string }) {
  const to = readDatabaseUrl(url, (message) => new OperatorError(`--to ${message}`));
  const { database: from } = await readConfig();
  const { copyStore } = await import("../../boot/copy-store.ts");
  const onProgress = json ? () => {} : showProgress;
  const { rows, auditHead } = await copyStore({ from, to, clock: createSystemClock(), onProgress });
  return { from: describeDatabase(from), to: describeDatabase(to), rows, audit_head: auditHead };
}

function describeCopy({ to, rows, audit_head: head }: Awaited<ReturnType<typeof copy>>): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `Copied ${total} rows to ${to}. Counts, books and audit log agree; audit head ${head || "-"}\n`;
}

/** A line for each table when it is done; until then, on a terminal, a bar. */
function showProgress(table: string, rows: number, count: number): void {
  const isTerminal = process.stderr.isTTY;
  if (rows < count) {
    if (!isTerminal) return;
    const done = Math.floor((BAR * rows) / count);
    process.stderr.write(`\r\x1b[K${table.padEnd(18)} ${"#".repeat(done)}${".".repeat(BAR - done)} ${rows}/${count}`);
    return;
  }
  if (isTerminal) process.stderr.write("\r\x1b[K");
  print(`${table.padEnd(18)} ${count}\n`);
}
