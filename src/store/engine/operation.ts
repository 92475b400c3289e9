// An operation of the store: its kind of access, its rule, and the encoding of its argument and result.
import type { StoreSide } from "../../ports/telemetry.ts";
import type { Steps, Transaction } from "./transaction.ts";

/**
 * An operation's way from the caller (`encode`) through a transaction (`run`) and back (`decode`). The embedded engine
 * passes messages between threads, which are cloned; so large values are passed as the JSON text that is stored anyway,
 * and only the caller's thread parses what it needs. The encoded types are private to each operation, hence `never`.
 */
export interface Operation<Argument, Result> {
  /**
   * `write` may change rows; `point` reads a few rows by key, `read` reads more. Long reads (sums over months, the
   * whole ledger) are `aside`, so that no request waits for them.
   */
  readonly side: StoreSide | ((argument: Argument) => StoreSide);
  /**
   * Whether it reads and changes buffered rows (buffer.ts). Before any other operation they are written and forgotten.
   */
  readonly usesBuffers: boolean;
  readonly encode: (argument: Argument) => unknown;
  /** An exception fails the operation and rolls back its writes. Deterministic: it may run a second time. */
  readonly run: (tx: Transaction, argument: never, nowMs: number) => Steps<unknown>;
  readonly decode: (encoded: never, argument: Argument) => Result;
}

/** A port, of which every function takes one argument at most. */
export type AnyFunctions<Port> = { readonly [Name in keyof Port]: (argument: never) => Promise<unknown> };

/** An operation for each function of a port. */
export type OperationsOf<Port extends AnyFunctions<Port>> = {
  readonly [Name in keyof Port]: Operation<
    Parameters<Port[Name]> extends [infer Argument] ? Argument : void,
    Awaited<ReturnType<Port[Name]>>
  >;
};

/** An operation whose argument and result are passed unchanged. */
export function plainOperation<Argument, Result>(
  side: Operation<Argument, Result>["side"],
  run: (tx: Transaction, argument: Argument, nowMs: number) => Steps<Result>,
  { usesBuffers = false }: { usesBuffers?: boolean } = {},
): Operation<Argument, Result> {
  return { side, usesBuffers, encode: identity<Argument>, run, decode: identity<Result> };
}

/** An operation whose result is encoded, and decoded on the caller's thread. */
export function decodedOperation<Argument, EncodedResult, Result>(
  side: Operation<Argument, Result>["side"],
  run: (tx: Transaction, argument: Argument, nowMs: number) => Steps<EncodedResult>,
  decode: (encoded: EncodedResult) => Result,
): Operation<Argument, Result> {
  return { side, usesBuffers: false, encode: identity<Argument>, run, decode };
}

/** An operation whose argument is encoded, or its argument and its result. */
export function encodedOperation<Argument, EncodedArgument, EncodedResult, Result>(parts: {
  side: Operation<Argument, Result>["side"];
  usesBuffers?: boolean;
  encode: (argument: Argument) => EncodedArgument;
  run: (tx: Transaction, argument: EncodedArgument, nowMs: number) => Steps<EncodedResult>;
  decode: (encoded: EncodedResult, argument: Argument) => Result;
}): Operation<Argument, Result> {
  return { usesBuffers: false, ...parts };
}

/** For the half of an encoded operation that needs no encoding. */
export function identity<Value>(value: Value): Value {
  return value;
}
