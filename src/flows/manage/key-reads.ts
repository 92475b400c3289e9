// Long reads that holders of keys ask for, one at a time of each organization: the store has few connections for them.
import { ApiError } from "../../contract/errors.ts";

/** Reads of an organization that may wait for another one of it. */
const WAITING_MAX = 10;

/**
 * Reads once the organization's earlier reads on this node have ended. Throws 429 `rate_limit_exceeded` when too many
 * wait already.
 */
export type KeyReads = <T>(organizationId: string, read: () => Promise<T>) => Promise<T>;

/** Creates the reads of a process. */
export function createKeyReads(): KeyReads {
  const queues = new Map<string, { last: Promise<void>; reads: number }>();
  return async (organizationId, read) => {
    const queue = queues.get(organizationId) ?? { last: Promise.resolve(), reads: 0 };
    if (queue.reads > WAITING_MAX) {
      const message = "Your organization has too many such requests at once. Try again.";
      throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: 1 });
    }
    const { last } = queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    queues.set(organizationId, queue);
    queue.last = promise;
    queue.reads++;
    await last;
    try {
      return await read();
    } finally {
      resolve();
      if (--queue.reads === 0) queues.delete(organizationId);
    }
  };
}
