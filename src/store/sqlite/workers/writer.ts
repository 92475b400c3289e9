// The writer: runs groups of writes. It stops accepting them once a write to disk has failed, or the files are no
// longer the database's.
import type { Worker } from "node:worker_threads";
import { type CallResult, errorResult, type StoreCall, type CallHandler } from "./messages.ts";
import { watchWal } from "./checkpoint.ts";
import type { Connection } from "../database/connection.ts";
import { type SerializedError, serializeError, isFatal } from "../database/errors.ts";
import { runGroup } from "./group-commit.ts";
import { finishErasure } from "../database/compaction.ts";
import type { Store } from "../../../ports/store/store.ts";

export interface Writer {
  readonly handleCalls: CallHandler;
  /** Ends the thread that runs checkpoints. */
  close(): Promise<void>;
}

/**
 * Creates the handler of writes on a connection, and keeps its WAL short with a thread of its own. `checkFiles` throws
 * when a restart would not find in the files what was committed; no call is then reported as stored.
 */
export function serveWrites(connection: Connection, startCheckpointer: () => Worker, checkFiles: () => void): Writer {
  let lost: SerializedError | null = null;
  const markLost = (error: SerializedError): void => {
    lost ??= error;
  };
  const wal = watchWal(connection, startCheckpointer, markLost);
  const failFinishing = (call: Pick<StoreCall, "id">, error: SerializedError): CallResult => {
    if (isFatal(error)) markLost(error);
    return errorResult(call, error);
  };
  const handleCalls: CallHandler = (calls, respond) => {
    if (lost !== null) return respond(failAll(calls, lost));
    const results = runGroup(connection, calls);
    const gone = fileError(checkFiles);
    if (gone !== null) {
      markLost(gone);
      return respond(failAll(calls, gone));
    }
    for (const { error } of results) if (error !== null && isFatal(error)) markLost(error);
    const finishing = results.map((each, index) => finishOf(connection, calls[index], each));
    respond(results.filter((_, index) => finishing[index] === null));
    for (const [index, each] of results.entries()) {
      // The finishing work may have changed the files.
      void finishing[index]
        ?.then(checkFiles)
        .then(
          () => each,
          (error: unknown) => failFinishing(each, serializeError(error)),
        )
        .then((finished) => respond([finished]));
    }
    wal.committed();
  };
  return { handleCalls, close: wal.close };
}

function fileError(checkFiles: () => void): SerializedError | null {
  try {
    checkFiles();
    return null;
  } catch (error) {
    return serializeError(error);
  }
}

function failAll(calls: readonly StoreCall[], error: SerializedError): CallResult[] {
  return calls.map((call) => errorResult(call, error));
}

type Erase = Store["eraseDeleted" | "eraseOrganization"];

/** Starts the work that a successful call still has to do after its commit; null: none. */
function finishOf(
  connection: Connection,
  call: StoreCall | undefined,
  { result, error }: CallResult,
): Promise<void> | null {
  if (call === undefined || error !== null) return null;
  if (call.name !== "eraseDeleted" && call.name !== "eraseOrganization") return null;
  const { erased, ...rest } = result as Awaited<ReturnType<Erase>>;
  const { mayBlockWrites } = call.argument as Parameters<Erase>[0];
  const isLast = "more" in rest ? !rest.more : rest.state !== "more";
  const batch = { hasErased: erased > 0, isLast, mayBlockWrites };
  return Promise.resolve().then(() => finishErasure(connection, batch));
}
