// A procedure of the store: its kind of access, its steps in a transaction, and the encoding of its argument and result.
import type { StoreSide } from "../../ports/telemetry.ts";
import type { Steps, Transaction } from "./transaction.ts";

/**
 * A procedure's way from the caller (`encode`) through a transaction (`run`) and back (`decode`). The embedded engine
 * passes messages between threads, which are cloned; so large values are passed as the JSON text that is stored anyway,
 * and only the caller's thread parses what it needs. The encoded types are private to each procedure, hence `never`.
 */
export interface Procedure<Argument, Result> {
  /**
   * `write` may change rows; `point` reads a few rows by key, `read` reads more. Long reads (sums over months, the
   * whole ledger) are `aside`, so that no request waits for them.
   */
  readonly side: StoreSide | ((argument: Argument) => StoreSide);
  /**
   * Whether it reads and changes buffered rows (buffer.ts). Before any other call they are written and forgotten.
   */
  readonly usesBuffers: boolean;
  readonly encode: (argument: Argument) => unknown;
  /** An exception fails the call and rolls back its writes. Deterministic: it may run a second time. */
  readonly run: (tx: Transaction, argument: never, nowMs: number) => Steps<unknown>;
  readonly decode: (encoded: never, argument: Argument) => Result;
}

/** A port, of which every function takes one argument at most. */
export type AnyFunctions<Port> = { readonly [Name in keyof Port]: (argument: never) => Promise<unknown> };

/** A procedure for each function of a port. */
export type ProceduresOf<Port extends AnyFunctions<Port>> = {
  readonly [Name in keyof Port]: Procedure<
    Parameters<Port[Name]> extends [infer Argument] ? Argument : void,
    Awaited<ReturnType<Port[Name]>>
  >;
};

/** A procedure whose argument and result are passed unchanged. */
export function plainProcedure<Argument, Result>(
  side: Procedure<Argument, Result>["side"],
  run: (tx: Transaction, argument: Argument, nowMs: number) => Steps<Result>,
  { usesBuffers = false }: { usesBuffers?: boolean } = {},
): Procedure<Argument, Result> {
  return { side, usesBuffers, encode: identity<Argument>, run, decode: identity<Result> };
}

/** A procedure whose result is encoded, and decoded on the caller's thread. */
export function decodedProcedure<Argument, EncodedResult, Result>(
  side: Procedure<Argument, Result>["side"],
  run: (tx: Transaction, argument: Argument, nowMs: number) => Steps<EncodedResult>,
  decode: (encoded: EncodedResult) => Result,
): Procedure<Argument, Result> {
  return { side, usesBuffers: false, encode: identity<Argument>, run, decode };
}

/** A procedure whose argument is encoded, or its argument and its result. */
export function encodedProcedure<Argument, EncodedArgument, EncodedResult, Result>(parts: {
  side: Procedure<Argument, Result>["side"];
  usesBuffers?: boolean;
  encode: (argument: Argument) => EncodedArgument;
  run: (tx: Transaction, argument: EncodedArgument, nowMs: number) => Steps<EncodedResult>;
  decode: (encoded: EncodedResult, argument: Argument) => Result;
}): Procedure<Argument, Result> {
  return { usesBuffers: false, ...parts };
}

/** For the half of an encoded procedure that needs no encoding. */
export function identity<Value>(value: Value): Value {
  return value;
}
