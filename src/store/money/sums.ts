// The sums that responses change, and the events that follow from a change, written once a commit. The rows that few
// responses share come first and those that many share come last: on PostgreSQL, responses wait for each other from
// here to the end of the commit.
import type { Steps, Transaction } from "../engine/transaction.ts";
import { writeCounters } from "./budget-counters.ts";
import { writeBalances } from "./balances.ts";
import { writeUsage } from "./usage.ts";
import { writeFailures } from "../events/failures.ts";
import { writeEvents } from "../events/feed.ts";

/** Writes the buffered sums and events; the transaction then forgets them (clearBuffers). */
export function* writeSums(tx: Transaction): Steps<void> {
  yield* writeFailures(tx);
  yield* writeCounters(tx);
  yield* writeBalances(tx);
  yield* writeUsage(tx);
  yield* writeEvents(tx);
}
