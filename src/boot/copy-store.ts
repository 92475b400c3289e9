// Copies an embedded store whole into another engine's empty database, and verifies the copy.
import type { DatabaseConfig } from "../config/database-url.ts";
import { describeDatabase } from "../config/database-url.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { IDEMPOTENCY_RETENTION_HOURS } from "../contract/limits.ts";
import { verifyAudit } from "../flows/accounts/verify-audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { CopyProgress } from "../store/engine/copy.ts";
import { ENGINES } from "../store/engines.ts";

export interface CopyReport {
  /** Rows of each table, in the order in which they were copied. */
  readonly rows: Readonly<Record<string, number>>;
  /** Head of the copy's audit log. */
  readonly auditHead: string;
}

export interface CopyOptions {
  readonly from: DatabaseConfig;
  readonly to: DatabaseConfig;
  readonly clock: Clock;
  readonly onProgress: CopyProgress;
}

/**
 * Copies a store; the source is not changed. Throws an OperatorError or StoreError that says what is left in the target
 * when something is in the way, or when the copy's books or audit log are not right.
 */
export async function copyStore({ from, to, clock, onProgress }: CopyOptions): Promise<CopyReport> {
  if (from.engine !== "sqlite")
    throw new OperatorError(
      `${describeDatabase(from)} is not an embedded database: copy a PostgreSQL with its own tools (pg_dump, pg_restore).`,
    );
  if (to.engine !== "postgres")
    throw new OperatorError(
      `${describeDatabase(to)} is an embedded database; a store is copied to postgres://USER:PASSWORD@HOST:PORT/DATABASE. An embedded one is copied as a file: docs/operations.md`,
    );
  const { openCopySource } = await import("../store/sqlite/copy-source.ts");
  const { writeCopy } = await import("../store/postgres/copy-target.ts");
  const source = await openCopySource(from.location);
  const rows = Object.fromEntries(source.tables.map(({ name, count }) => [name, count]));
  try {
    await writeCopy(to.location, source, { clock, onProgress });
  } finally {
    source.close();
  }
  return { rows, auditHead: await verify(to, rows["audit_log"] ?? 0, clock) };
}

/** Checks books and audit log of the copy; returns the log's head. */
async function verify(to: DatabaseConfig, auditEntries: number, clock: Clock): Promise<string> {
  const { open } = await ENGINES[to.engine]();
  const settings = { exclusive: false, telemetry: null, idempotencyRetentionHours: IDEMPOTENCY_RETENTION_HOURS };
  const { store } = await open({ location: to.location, clock, ...settings });
  try {
    const { differencesFound } = await store.reconcile({ organizationId: null });
    if (differencesFound > 0) throw unlike(to, `its books have ${differencesFound} differences`, "ledger check");
    const { checked, head, brokenAt } = await verifyAudit(store, null);
    if (brokenAt !== null || checked !== auditEntries)
      throw unlike(to, `its audit log is broken at entry ${brokenAt ?? checked}`, "audit verify");
    return head;
  } finally {
    await store.close();
  }
}

function unlike(to: DatabaseConfig, found: string, command: string): OperatorError {
  return new OperatorError(
    `the store was copied to ${describeDatabase(to)}, but ${found}. \`${command}\` on the source shows whether the source has that too; before another copy, drop the target's schema (drop schema … cascade).`,
  );
}
