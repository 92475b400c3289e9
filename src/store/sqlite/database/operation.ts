// One operation of the store: its side, what it does in its thread, and how its argument and result cross between threads.
import type { StoreSide } from "../../../ports/telemetry.ts";
import type { Connection } from "./connection.ts";

/**
 * An operation on its way from the main thread (encode) through its own (run) and back (decode). What crosses is cloned, so big
 * values cross as the JSON text that is stored anyway: the writer binds it as it came, and only the main thread parses what it is
 * going to use. What stands between the three is the operation's own affair, hence `never`.
 */
export interface Operation<Argument, Result> {
  /** What takes long, sums over months and the whole of the books, runs aside: no request waits for it. */
  readonly side: StoreSide | ((argument: Argument) => StoreSide);
  readonly encode: (argument: Argument) => unknown;
  /** Throws what makes the operation fail; what it wrote is then rolled back. Deterministic: it may be run a second time. */
  readonly run: (connection: Connection, sent: never, nowMs: number) => unknown;
  readonly decode: (answered: never, argument: Argument) => Result;
  /** What has still to be done after the commit, outside of a transaction, before the operation has done its work (erasure); null: nothing. */
  readonly finish: ((connection: Connection, answered: never, sent: never) => Promise<void>) | null;
}

/** An operation whose argument and result cross as they are. */
export function plain<Argument, Result>(
  side: Operation<Argument, Result>["side"],
  run: (connection: Connection, argument: Argument, nowMs: number) => Result,
): Operation<Argument, Result> {
  return coded({ side, encode: asIs<Argument>, run, decode: asIs<Result> });
}

/** An operation that crosses in a form of its own. */
export function coded<Argument, Sent, Answered, Result>(parts: {
  side: Operation<Argument, Result>["side"];
  encode: (argument: Argument) => Sent;
  run: (connection: Connection, sent: Sent, nowMs: number) => Answered;
  decode: (answered: Answered, argument: Argument) => Result;
  finish?: (connection: Connection, answered: Answered, sent: Sent) => Promise<void>;
}): Operation<Argument, Result> {
  return { finish: null, ...parts };
}

/** For the half of a coded operation that needs no code. */
export function asIs<Value>(value: Value): Value {
  return value;
}
