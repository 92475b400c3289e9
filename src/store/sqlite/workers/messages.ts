// Messages between the main thread and the store's threads.
import type { SerializedError } from "../database/errors.ts";
import { type Packed, packing } from "../../engine/packing.ts";
import type { OperationName } from "../../operations.ts";

/** One operation to run in a thread. */
export interface StoreCall {
  readonly id: number;
  readonly name: OperationName;
  /** The encoded argument (`encode` of its operation). */
  readonly argument: unknown;
  /** The store's clock at the time of the call. */
  readonly nowMs: number;
}

/** The result of a call. */
export interface CallResult {
  readonly id: number;
  /** The encoded result (for `decode` of its operation); null beside an error. */
  readonly result: unknown;
  /** Null: the call succeeded. */
  readonly error: SerializedError | null;
}

/** Calls and results in messages. */
export const CALL_PACKING = packing<StoreCall>({ id: true, name: true, argument: true, nowMs: true });
export const RESULT_PACKING = packing<CallResult>({ id: true, result: true, error: true });

/** From the main thread. */
export type WorkerRequest =
  | { readonly kind: "calls"; readonly calls: readonly Packed<StoreCall>[] }
  | { readonly kind: "close" };

/** To the main thread; the first says whether the thread has opened its connection. */
export type WorkerReply =
  | { readonly kind: "opened" }
  | { readonly kind: "open_failed"; readonly error: SerializedError }
  | {
      readonly kind: "results";
      readonly results: readonly Packed<CallResult>[];
      /** Time from taking the calls up to their commit. */
      readonly milliseconds: number;
    };

/** Runs calls in a thread and responds with the result of each, at once or later. */
export type CallHandler = (calls: readonly StoreCall[], respond: (results: CallResult[]) => void) => void;

/** The result of a call that failed. */
export function errorResult({ id }: Pick<StoreCall, "id">, error: SerializedError): CallResult {
  return { id, result: null, error };
}
