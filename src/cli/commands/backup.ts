// turngate backup, turngate restore.
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { describeDatabase } from "../../config/database-url.ts";
import { secretPathOf } from "../../config/root-secret.ts";
import type { BackedUp } from "../../store/sqlite/backup.ts";
import type { BackupProgress } from "../../store/sqlite/database/verified-copy.ts";
import { jsonOf, type OutputOptions, print } from "../../../packages/kit/output.ts";

const CHECKED = "Its pages and the number of its rows are checked.";
const NEEDED = "without the root secret no API key works.";

export function addBackup(program: Command): void {
  program
    .command("backup")
    .description("copy the embedded store into a new file and verify it, while the service may run")
    .argument("<file>", "the file to write; it must not exist")
    .action(backUp);
  program
    .command("restore")
    .description("create the embedded store from a backup; there must be no store yet")
    .argument("<file>", "the backup")
    .action(restore);
}

async function backUp(file: string, options: OutputOptions) {
  const config = await readConfig();
  // Loaded late: no other command needs it.
  const { backUpStore } = await import("../../boot/backup-store.ts");
  const copied = await backUpStore(config, file, progressOf(options));
  if (options.json) return printCopy({ from: describeDatabase(config.database), to: file }, copied);
  print(`Backed up ${describe(copied)} to ${file}. ${CHECKED} Its checksum is in ${file}.sha256.\n`);
  if (config.rootSecret === null) print(`Keep ${secretPathOf(config.database)} with it: ${NEEDED}\n`);
}

async function restore(file: string, options: OutputOptions) {
  const config = await readConfig();
  const { restoreStore } = await import("../../boot/backup-store.ts");
  const copied = await restoreStore(config, file, progressOf(options));
  const to = describeDatabase(config.database);
  if (options.json) return printCopy({ from: file, to }, copied);
  print(`Restored ${describe(copied)} to ${to}. ${CHECKED}\n`);
  if (copied.sha256 === null) print(`${file}.sha256 is missing, so nothing shows that the backup was not changed.\n`);
  const secret = secretPathOf(config.database);
  if (config.rootSecret === null && !existsSync(secret)) print(`Restore ${secret} too: ${NEEDED}\n`);
}

function printCopy(places: { from: string; to: string }, { rows, schemaVersion, bytes, sha256 }: BackedUp): void {
  print(jsonOf({ ...places, bytes, sha256, schema_version: schemaVersion, rows }));
}

function describe({ rows, schemaVersion, bytes }: BackedUp): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows (${bytes} bytes, schema ${schemaVersion})`;
}

function progressOf({ json }: OutputOptions): BackupProgress {
  if (json || !process.stderr.isTTY) return () => {};
  return (pages, total) => {
    process.stderr.write(pages < total ? `\r\x1b[K${Math.floor((100 * pages) / total)} %` : "\r\x1b[K");
  };
}
