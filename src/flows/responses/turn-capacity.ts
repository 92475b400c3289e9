// The capacity that a turn occupies while it begins: a slot or a place in the queue, an open stream, and its count in
// the drain. Its credits are not here: they are the hold (flows/money).
import type { RunningStatus } from "../../contract/statuses.ts";
import { assertNotDraining, openStreamFor } from "../access/admit.ts";
import type { Gateway } from "../gateway.ts";
import type { Slot } from "../run/slots.ts";
import type { Create } from "./creating.ts";

/** What a turn occupies until it has begun; its run then keeps the slot and the stream. */
export interface TurnCapacity {
  readonly slot: Slot;
  readonly status: RunningStatus;
  closeStream(): void;
  /** Called when the turn has begun: from now on the drain waits for its run. */
  endBeginning(): void;
  /** Called when the turn did not begin: gives everything back. */
  release(): void;
}

/**
 * Takes everything that a turn occupies, or nothing. Throws 429 `stream_limit_exceeded` or `rate_limit_exceeded`, 503
 * `gateway_overloaded`.
 */
export async function takeCapacity(
  gateway: Gateway,
  { admitted, request }: Create,
  responseId: string,
): Promise<TurnCapacity> {
  // Checked again: the body may have taken long, and a drain that saw nothing beginning does not wait.
  assertNotDraining(gateway);
  const endBeginning = gateway.runs.beginning(responseId, admitted.caller.keyId);
  let closeStream = (): void => {};
  let slot: Slot;
  try {
    if (request.stream) closeStream = await openStreamFor(gateway, admitted);
    slot = gateway.runs.slots.take(admitted.caller, admitted.organization.limits.concurrentTurns);
  } catch (error) {
    closeStream();
    endBeginning();
    throw error;
  }
  return {
    slot,
    status: slot.isQueued ? "queued" : "in_progress",
    closeStream,
    endBeginning,
    release() {
      slot.release();
      closeStream();
      endBeginning();
    },
  };
}
