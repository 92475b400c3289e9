// Optimistic retries: a plan is made again when its history changes before the plan is stored.
import { ApiError } from "../contract/errors.ts";

/** Each further try means that another request took or released the same calls between a read and a write. */
const TRIES_MAX = 10;

/**
 * Repeats `attempt`, which reads, plans and stores, until nothing has changed in between; it returns null when
 * something has. Throws 503 `gateway_overloaded` after too many tries.
 */
export async function untilUnchanged<Done>(attempt: () => Promise<Done | null>): Promise<Done> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const done = await attempt();
    if (done !== null) return done;
  }
  throw new ApiError("gateway_overloaded", "The conversation is changing too quickly: try again.");
}
