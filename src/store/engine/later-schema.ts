// Errors of a database that a later version has migrated while this process was running on it.
import { LaterSchema, StoreError } from "../../ports/store/store.ts";
import { plainOperation } from "./operation.ts";
import { one } from "./statement.ts";
import type { Steps } from "./transaction.ts";

/** The version of the schema. */
export const readSchemaVersion = plainOperation("point", function* (tx): Steps<number> {
  return (yield* selectNewest(tx, {}))?.version ?? 0;
});

const selectNewest = one<Record<never, never>, { readonly version: number }>(`
  select coalesce(max(version), 0) as version
    from schema_version`);

/**
 * The error for the caller of a failed operation: a LaterSchema if the schema is of a later version than this program
 * knows, else the error unchanged. `readVersion` is asked only about errors that have no better reason.
 */
export async function explainFailure(
  failure: unknown,
  knownVersion: number,
  readVersion: () => Promise<number>,
): Promise<unknown> {
  if (!(failure instanceof StoreError) || failure.kind !== "failed") return failure;
  const version = await readVersion().catch(() => 0);
  return version > knownVersion ? new LaterSchema(version, knownVersion, failure) : failure;
}
