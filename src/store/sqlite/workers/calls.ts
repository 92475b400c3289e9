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

/** What became of a call. */
export type Outcome =
  | { readonly ok: true; readonly answered: unknown }
  | { readonly ok: false; readonly error: CarriedError };

/** A call's outcome on its way back. */
export interface Answer {
  readonly id: number;
  readonly outcome: Outcome;
}

export const CALL_PACKING = packing<Call>({ id: true, name: true, sent: true, nowMs: true });

/** An answer in the form that it crosses in: of the last two one is there, the other null. */
export interface SentAnswer {
  readonly id: number;
  readonly answered: unknown;
  readonly error: CarriedError | null;
}

export const ANSWER_PACKING = packing<SentAnswer>({ id: true, answered: true, error: true });

/** An answer as it crosses. */
export function packAnswer({ id, outcome }: Answer): Packed<SentAnswer> {
  return ANSWER_PACKING.pack(
    outcome.ok ? { id, answered: outcome.answered, error: null } : { id, answered: null, error: outcome.error },
  );
}

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
      readonly answers: readonly Packed<SentAnswer>[];
      /** How long the thread worked for them: from taking them up to their commit. */
      readonly milliseconds: number;
    };

/** What a thread does with calls: runs them and answers each, now or later. */
export type Server = (calls: readonly Call[], answer: (answers: Answer[]) => void) => void;

/** The answers of calls whose outcomes stand in the same order. */
export function pairAnswers(calls: readonly Call[], outcomes: readonly Outcome[]): Answer[] {
  return calls.map(({ id }, index) => {
    const outcome = outcomes[index];
    if (outcome === undefined) throw new Error("A call was left without an outcome.");
    return { id, outcome };
  });
}
