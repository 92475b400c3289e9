// Runs procedures the same way on every engine: encodes the argument, lets the engine execute the procedure on its side,
// decodes the result, measures the call, and explains the errors of a database that a later version has migrated.
import { AccountError } from "../../ports/store/accounts.ts";
import { StoreError, LaterSchema } from "../../ports/store/store.ts";
import type { StoreOutcome, StoreSide, StoreTelemetry } from "../../ports/telemetry.ts";
import { type AnyFunctions, type Procedure, type ProceduresOf, decodedProcedure, plainProcedure } from "./procedure.ts";
import { one } from "./statement.ts";
import type { Steps, Transaction } from "./transaction.ts";

/** Runs a procedure in a transaction. Rejects with a StoreError or an AccountError; nothing is changed then. */
export type RunProcedure<Name extends string> = <Argument, Result>(
  name: Name,
  procedure: Procedure<Argument, Result>,
  argument: Argument,
) => Promise<Result>;

/** A call to execute. */
export interface Execution<Name extends string> {
  readonly side: StoreSide;
  readonly name: Name;
  readonly procedure: Pick<Procedure<unknown, unknown>, "run" | "usesBuffers">;
  /** The encoded argument. */
  readonly argument: unknown;
  /** The store's clock at the time of the call. */
  readonly nowMs: number;
}

/** Creates the function that runs procedures. `execute` returns the encoded result, or a promise of it. */
export function createProcedureRunner<Name extends string>(engine: {
  execute(execution: Execution<Name>): unknown;
  nowMs(): number;
  readonly telemetry: StoreTelemetry | null;
  /** Called with each error of `execute`. */
  onError?(error: unknown): void;
  /** The version of the schema that this program knows. */
  readonly knownSchema: number;
}): RunProcedure<Name> {
  const sides: Readonly<Record<StoreSide, ReturnType<typeof watchSide>>> = {
    point: watchSide(engine.telemetry, "point"),
    read: watchSide(engine.telemetry, "read"),
    write: watchSide(engine.telemetry, "write"),
    aside: watchSide(engine.telemetry, "aside"),
  };
  const readVersion = async (name: Name) => {
    const execution = { side: "point", name, procedure: readSchemaVersion, argument: null } as const;
    return (await engine.execute({ ...execution, nowMs: engine.nowMs() })) as number;
  };
  return async (name, procedure, argument) => {
    const side = typeof procedure.side === "function" ? procedure.side(argument) : procedure.side;
    const encoded = procedure.encode(argument);
    const calls = sides[side];
    const startedMs = performance.now();
    let outcome: StoreOutcome = "ok";
    let result: unknown;
    calls.waiting++;
    try {
      result = engine.execute({ side, name, procedure, argument: encoded, nowMs: engine.nowMs() });
      if (result instanceof Promise) result = await result;
    } catch (error) {
      outcome = outcomeOf(error);
      engine.onError?.(error);
      throw await explainFailure(error, engine.knownSchema, () => readVersion(name));
    } finally {
      calls.waiting--;
      calls.telemetry?.callEnded(name, outcome, performance.now() - startedMs);
    }
    return procedure.decode(result as never, argument);
  };
}

/** The functions of a port: each runs the procedure of its name. */
export function callsOf<Port extends AnyFunctions<Port>>(
  procedures: ProceduresOf<Port>,
  run: RunProcedure<keyof Port & string>,
): Port {
  const names = Object.keys(procedures) as (keyof Port & string)[];
  const calls = names.map((name) => {
    const procedure = procedures[name] as Procedure<unknown, unknown>;
    return [name, (argument: unknown) => run(name, procedure, argument)];
  });
  return Object.fromEntries(calls) as Port;
}

function watchSide(telemetry: StoreTelemetry | null, side: StoreSide) {
  const calls = { telemetry: telemetry?.side(side) ?? null, waiting: 0 };
  calls.telemetry?.watchWaiting(() => calls.waiting);
  return calls;
}

/** The outcome that telemetry counts for an error. */
export function outcomeOf(error: unknown): StoreOutcome {
  if (error instanceof AccountError) return "refused";
  return error instanceof StoreError ? error.kind : "failed";
}

/** The newest migration that is not compatible with releases of before it; 0: there is none. */
function* readIncompatible(tx: Transaction): Steps<number> {
  return (yield* selectNewest(tx, {}))?.version ?? 0;
}

const readSchemaVersion = plainProcedure("point", readIncompatible);

const selectNewest = one<Record<never, never>, { readonly version: number }>(`
  select coalesce(max(version), 0) as version
    from schema_version
   where compatible = 0`);

/**
 * StoreUpkeep.ping: throws a LaterSchema when the schema is of an incompatible later version. An engine may read the
 * version that other processes are about to migrate to.
 */
export function createPing(
  knownVersion: number,
  read: (tx: Transaction) => Steps<number> = readIncompatible,
): Procedure<void, void> {
  return decodedProcedure("point", read, (version) => {
    if (version > knownVersion) throw laterSchema(version, knownVersion);
  });
}

/**
 * The error for the caller of a failed call: a LaterSchema if an incompatible later version has migrated the
 * schema, else the error unchanged. `readVersion` is asked only about errors that have no better reason.
 */
export async function explainFailure(
  failure: unknown,
  knownVersion: number,
  readVersion: () => Promise<number>,
): Promise<unknown> {
  if (!(failure instanceof StoreError) || failure.kind !== "failed") return failure;
  const version = await readVersion().catch(() => 0);
  return version > knownVersion ? laterSchema(version, knownVersion, failure) : failure;
}

function laterSchema(version: number, knownVersion: number, cause?: unknown): LaterSchema {
  const message = `The schema belongs to a later version (${version}; this program knows ${knownVersion}): replace it.`;
  return new LaterSchema("unavailable", message, { cause });
}
