// What crosses between the main thread and the store's threads.
import type { CarriedError } from "../database/errors.ts";
import { type Packed, packing } from "../database/packing.ts";
import type { OperationName } from "../operations.ts";

/** One operation on its way to its thread. */
export interface Call {
  readonly id: number;
  readonly name: OperationName;
  /** The argument in the form that its operation crosses in. */
  readonly sent: unknown;
  /** The store's clock when the call was made. */
  readonly nowMs: number;
}

/** What became of a call, on its way back. */
export interface Answer {
  readonly id: number;
  /** The result in the form that its operation crosses in; null beside an error. */
  readonly answered: unknown;
  /** Null: it went well. */
  readonly error: CarriedError | null;
}

export const CALL_PACKING = packing<Call>({ id: true, name: true, sent: true, nowMs: true });
export const ANSWER_PACKING = packing<Answer>({ id: true, answered: true, error: true });

/** To a thread. */
export type Request =
  | { readonly kind: "open"; readonly nowMs: number }
  | { readonly kind: "calls"; readonly calls: readonly Packed<Call>[] }
  | { readonly kind: "close" };

/** From a thread. */
export type Reply =
  | { readonly kind: "opened" }
  | { readonly kind: "refused"; readonly error: CarriedError }
  | {
      readonly kind: "answers";
      readonly answers: readonly Packed<Answer>[];
      /** How long the thread worked for them: from taking them up to their commit. */
      readonly milliseconds: number;
    };

/** What a thread does with calls: runs them and answers each, now or later. */
export type Server = (calls: readonly Call[], answer: (answers: Answer[]) => void) => void;

/** The answer of a call that failed. */
export function answerError({ id }: Pick<Call, "id">, error: CarriedError): Answer {
  return { id, answered: null, error };
}
