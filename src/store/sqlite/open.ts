// The embedded store: SQLite in its own threads, behind the port. @spec what-the-service-does
import { randomInt } from "node:crypto";
import { accessSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { HOUR_MS } from "../../base/time.ts";
import { IDEMPOTENCY_RETENTION_HOURS } from "../../contract/limits.ts";
import { makeFolder } from "../../installation/make-folder.ts";
import { type Store, StoreError } from "../../ports/store/store.ts";
import { acquireLock } from "./database/lock.ts";
import { createFileCheck } from "./database/file-check.ts";
import { newestOf } from "../engine/migrations.ts";
import { createPing, createProcedureRunner } from "../engine/run.ts";
import { listMigrations } from "./database/migrate.ts";
import { PROCEDURES, type ProcedureName } from "../procedures.ts";
import { createPort } from "../port.ts";
import type { OpenOptions } from "../store-engine.ts";
import { createPointReads } from "./workers/point-reads.ts";
import { startOnDemand, startWorker } from "./workers/handle.ts";
import type { ThreadSettings } from "./workers/thread.ts";

/** Range of the random instance ids: exact in JavaScript and SQLite. */
const INSTANCE_IDS = 2 ** 47;

/**
 * Opens the store; creates or migrates the file. Rejects with a StoreError whose message is for the operator: another
 * server holds the file (`unavailable`), or the file is damaged, foreign or of a later version (`failed`).
 */
export async function openSqliteStore(options: OpenOptions): Promise<Store> {
  const { clock, exclusive = false, telemetry = null } = options;
  const { idempotencyRetentionHours = IDEMPOTENCY_RETENTION_HOURS } = options;
  const path = resolve(options.location);
  const release = prepareFile(path, exclusive);
  const settings: ThreadSettings = {
    path,
    openedAtMs: clock.nowMs(),
    instanceId: randomInt(INSTANCE_IDS),
    idempotencyRetentionMs: idempotencyRetentionHours * HOUR_MS,
    // A single writer waits for nobody.
    usageParts: 1,
  };
  const points = createPointReads(settings);
  const write = startWorker("writer", settings, telemetry?.side("write") ?? null);
  const onDemand = (side: "read" | "aside") =>
    startOnDemand(() => startWorker("reader", settings, telemetry?.side(side) ?? null));
  const threads = { write, read: onDemand("read"), aside: onDemand("aside") };
  const close = async (): Promise<void> => {
    points.close();
    // The writer last: it truncates the WAL when nothing reads it any more.
    await Promise.all([threads.read.close(), threads.aside.terminate()]);
    await write.close();
    release();
  };
  let fileCheck: ReturnType<typeof createFileCheck>;
  try {
    // The writer creates and migrates the file before the others open it.
    await write.opened;
    points.open();
    fileCheck = createFileCheck(path);
  } catch (error) {
    await close();
    throw openError(error, path);
  }
  const knownSchema = newestOf(listMigrations());
  const run = createProcedureRunner<ProcedureName | "ping">({
    telemetry,
    knownSchema,
    nowMs: () => clock.nowMs(),
    execute({ side, name, procedure, argument, nowMs }) {
      // The writer checks its files after each commit. After the look-up of a key something else is read or written, but for
      // the list of models; an unknown key is checked below.
      if (side !== "write" && name !== "findKey") fileCheck.checkIfDue();
      if (side === "point" || name === "ping") return points.read(procedure, argument, nowMs);
      return threads[side].call(name, argument, nowMs);
    },
    onError: fileCheck.recordError,
  });
  const port = createPort(run, PROCEDURES, createPing(knownSchema));
  let closing: Promise<void> | null = null;
  return {
    ...port,
    findKey: async (query) => {
      const found = await port.findKey(query);
      // Reject a key only by the database that was opened, never by a file that replaced it. The millisecond is for
      // many unknown keys at once: the check costs more than the rest of their rejection.
      if (found === null) fileCheck.checkIfDue(1);
      return found;
    },
    ping: async () => {
      fileCheck.check();
      await port.ping();
    },
    close: () => {
      fileCheck.stop();
      return (closing ??= close());
    },
  };
}

/**
 * Creates a missing file and its directory with access for the owner alone; SQLite gives the WAL the same permissions.
 * For a server, takes the lock, which lasts until the returned function is called.
 */
function prepareFile(path: string, exclusive: boolean): () => void {
  try {
    makeFolder(dirname(path));
    // Closing a file releases the process's locks on it, so a file that a store may have open is not opened here.
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else closeSync(openSync(path, "a", 0o600));
    return exclusive ? acquireLock(path) : () => {};
  } catch (error) {
    throw openError(error, path);
  }
}

/** Adds the path: SQLite reports a full disk or a read-only database without naming it. */
function openError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError && error.message.includes(path)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const kind = error instanceof StoreError ? error.kind : "unavailable";
  return new StoreError(kind, `The database ${path} cannot be opened: ${reason}.`, { cause: error });
}
