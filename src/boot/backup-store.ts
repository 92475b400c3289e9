// Backs up the configured store, and restores it.
import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { describeDatabase } from "../config/database-url.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { readRootSecrets, secretPathOf } from "../config/root-secret.ts";
import type { BackedUp } from "../store/sqlite/backup.ts";
import type { BackupProgress } from "../store/sqlite/database/verified-copy.ts";
import { createRootKeys } from "../system/root-keys.ts";

type StoreConfig = Pick<Config, "database" | "rootSecret" | "formerSecret">;

/** Backs up the store into a new file. Throws an OperatorError or StoreError that says what is in the way. */
export async function backUpStore(config: StoreConfig, file: string, onProgress: BackupProgress): Promise<BackedUp> {
  const { backUp } = await loadBackup(config);
  return backUp(config.database.location, file, onProgress);
}

/** Makes the store of a backup. Throws an OperatorError or StoreError that says what is in the way. */
export async function restoreStore(config: StoreConfig, file: string, onProgress: BackupProgress): Promise<BackedUp> {
  const { restore } = await loadBackup(config);
  const admit = (secretCheck: string | null) => assertSecret(config, file, secretCheck);
  return restore(file, config.database.location, { admit, onProgress });
}

/** A missing secret is no fault yet: it may be restored after the database, and a start checks it. */
function assertSecret(config: StoreConfig, file: string, secretCheck: string | null): void {
  const path = config.rootSecret === null ? secretPathOf(config.database) : null;
  if (secretCheck === null || (path !== null && !existsSync(path))) return;
  if (createRootKeys(readRootSecrets(config, false)).checkValues.includes(secretCheck)) return;
  throw new OperatorError(
    `${path ?? "TURNGATE_SECRET"} is not the root secret that the keys of ${file} were created with, so all of them would be rejected. Restore the secret that belongs to the backup.`,
  );
}

async function loadBackup({ database }: StoreConfig) {
  if (database.engine === "sqlite") return import("../store/sqlite/backup.ts");
  throw new OperatorError(
    `${describeDatabase(database)} is backed up and restored with PostgreSQL's own tools: pg_dump and pg_restore, or a base backup with archived WAL for point-in-time recovery (docs/nodes.md#backup-failover-upgrades).`,
  );
}
