// The embedded store: SQLite in threads of its own, behind the port. @spec what-the-service-does
import { randomInt } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { IDEMPOTENCY_RETENTION_HOURS } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Store, StoreError } from "../../ports/store.ts";
import type { StoreTelemetry } from "../../ports/telemetry.ts";
import type { ConnectionSettings } from "./database/connection.ts";
import { readablePages } from "./histories/listing.ts";
import { holdLock } from "./database/lock.ts";
import { noteFile } from "./database/same-file.ts";
import { startOnDemand, startWhenAsked, type WorkerOnDemand } from "./workers/on-demand.ts";
import { type ArgumentOf, OPERATIONS, type OperationName, type ResultOf } from "./operations.ts";
import { createPointReads, type PointReads } from "./workers/point-reads.ts";
import { startWorker, type WorkerHandle } from "./workers/handle.ts";
import { FORGOTTEN_AT_ONCE } from "./histories/upkeep.ts";

const HOUR_MS = 3_600_000;
/** Owners are told apart by numbers that JavaScript and SQLite both hold exactly. */
const OWNERS = 2 ** 47;

export interface SqliteStoreOptions {
  /** The database file; its directory is made when it is missing. */
  readonly path: string;
  readonly clock: Clock;
  /** A server's store: no second one opens while it lives. The command line opens beside it, not exclusive. */
  readonly exclusive?: boolean;
  /** How long an idempotency key is kept, hours. */
  readonly idempotencyRetentionHours?: number;
  /** Who hears of its work; nobody unless said otherwise. */
  readonly telemetry?: StoreTelemetry | null;
}

/**
 * Opens the store, creating or migrating the file. Rejects with a StoreError whose message is for the operator: another server holds
 * it (`unavailable`), or the file is damaged, foreign or of a later version (`failed`).
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { clock, exclusive = false, telemetry = null } = options;
  const { idempotencyRetentionHours = IDEMPOTENCY_RETENTION_HOURS } = options;
  const path = resolve(options.path);
  const release = prepareFile(path, exclusive);
  const settings: ConnectionSettings = {
    path,
    owner: randomInt(OWNERS),
    idempotencyRetentionMs: idempotencyRetentionHours * HOUR_MS,
  };
  const { port1, port2 } = new MessageChannel();
  const writer = startWorker("writer", settings, port1, telemetry?.side("write") ?? null);
  const reader = startOnDemand(() => startWorker("reader", settings, null, telemetry?.side("read") ?? null));
  const aside = startOnDemand(() => startWorker("reader", settings, null, telemetry?.side("aside") ?? null));
  const checkpointer = startWhenAsked(port2, clock, () => startWorker("checkpointer", settings, port2, null));
  const points = createPointReads(settings, telemetry?.side("point") ?? null);
  const close = async (): Promise<void> => {
    points.close();
    // The writer last: it cuts the journal when nobody reads it any more.
    await Promise.all([reader.close(), checkpointer.close(), aside.end()]);
    await writer.close();
    release();
  };
  try {
    // The writer makes the file what the others expect.
    await writer.open(clock.nowMs());
    points.open();
    return createStore({ points, read: reader, write: writer, aside }, clock, { close, checkFile: noteFile(path) });
  } catch (error) {
    await close();
    throw nameFile(error, path);
  }
}

interface Places {
  readonly points: PointReads;
  readonly read: WorkerOnDemand;
  readonly write: WorkerHandle;
  readonly aside: WorkerOnDemand;
}

/** The port, each function of it a call to where its operation runs. */
function createStore(
  places: Places,
  clock: Clock,
  { close, checkFile }: { close: () => Promise<void>; checkFile: () => void },
): Store {
  const call = async <Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> => {
    const { side: sides, encode, decode } = OPERATIONS[name];
    const side = typeof sides === "function" ? sides(argument) : sides;
    const answered =
      side === "point"
        ? places.points.read(name, encode(argument), clock.nowMs())
        : await places[side].ask(name, encode(argument), clock.nowMs());
    return decode(answered as never, argument);
  };
  const names = Object.keys(OPERATIONS) as OperationName[];
  const calls = Object.fromEntries(
    names.map((name) => [name, (argument: ArgumentOf<typeof name>) => call(name, argument)]),
  ) as unknown as Pick<Store, OperationName>;
  return {
    ...calls,
    listItems: readablePages(calls.listItems),
    ping: async () => {
      await calls.ping();
      checkFile();
    },
    forgetExpired: async (query) => {
      const forgotten = { claims: 0, secrets: 0 };
      for (;;) {
        const { claims, secrets } = await calls.forgetExpired(query);
        forgotten.claims += claims;
        forgotten.secrets += secrets;
        if (claims < FORGOTTEN_AT_ONCE && secrets < FORGOTTEN_AT_ONCE) return forgotten;
      }
    },
    close: once(close),
  };
}

/**
 * Makes a missing file, and its directory, readable to its owner alone; SQLite gives the journal the file's own rights. Holds the lock of
 * a server's store, until the answered function is called.
 */
function prepareFile(path: string, exclusive: boolean): () => void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
    return exclusive ? holdLock(path) : () => {};
  } catch (error) {
    throw nameFile(error, path);
  }
}

/** SQLite says that a disk is full or a database read-only, but not which. */
function nameFile(error: unknown, path: string): StoreError {
  if (error instanceof StoreError && error.message.includes(path)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const kind = error instanceof StoreError ? error.kind : "unavailable";
  return new StoreError(kind, `The database ${path} cannot be opened: ${reason}.`, { cause: error });
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= action());
}
