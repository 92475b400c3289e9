// Long reads of the management interface, one at a time of each organization: the store has few connections for them, and
// their replies are long. Callers of an organization take turns. docs/decisions/shares.md
import { FairCapacity, type Owner } from "../../base/fair-capacity.ts";
import { FairQueue } from "../../base/fair-queue.ts";
import { ApiError } from "../../contract/errors.ts";

/** Reads that run and wait, of all organizations. */
const READS_MAX = 100;

/**
 * Reads once the organization's earlier reads on this node have ended. `keyId` of the owner is whoever asks. Throws 429
 * `rate_limit_exceeded` when the organization or the caller holds its share.
 */
export type LongReads = <T>(owner: Owner, read: () => Promise<T>) => Promise<T>;

/** Creates the reads of a process. */
export function createLongReads(): LongReads {
  const reads = new FairCapacity(READS_MAX);
  const reading = new Set<string>();
  const waiting = new FairQueue<{ readonly organizationId: string; begin(): void }>();
  return async (owner, read) => {
    const { organizationId } = owner;
    if (!reads.tryTake(owner, 1)) {
      const message = "Your organization has too many such requests at once. Try again.";
      throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: 1 });
    }
    if (reading.has(organizationId)) {
      await new Promise<void>((begin) => void waiting.add(owner, { organizationId, begin }));
    }
    reading.add(organizationId);
    try {
      return await read();
    } finally {
      reads.giveBack(owner, 1);
      const next = waiting.takeNext((entry) => entry.organizationId === organizationId);
      if (next === undefined) reading.delete(organizationId);
      else next.begin();
    }
  };
}
