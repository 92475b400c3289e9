// A database that is out of reach when a service starts: it is tried again until it is there.
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../ports/store/store.ts";

/** The pause between two attempts, milliseconds. */
const PAUSE_MS = 500;

/**
 * Opens a database. Rejects when it cannot be used, and when it is out of reach unless `onUnreachable` is given: then
 * it resolves, and the attempts go on. The function gets each reason once, until another one comes.
 */
export async function awaitDatabase(
  open: () => Promise<void>,
  onUnreachable: ((reason: StoreError) => void) | undefined,
) {
  const attempt = async (): Promise<StoreError | null> => {
    try {
      await open();
      return null;
    } catch (error) {
      if (onUnreachable !== undefined && error instanceof StoreError && error.kind === "unavailable") return error;
      throw error;
    }
  };
  let reason = await attempt();
  let isStopped = false;
  const goOn = async (): Promise<void> => {
    let reported: string | null = null;
    while (reason !== null) {
      if (reason.message !== reported) onUnreachable?.(reason);
      reported = reason.message;
      // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
      await sleep(PAUSE_MS);
      if (isStopped) return new Promise(() => {});
      // oxlint-disable-next-line no-await-in-loop -- as above
      reason = await attempt();
    }
    return undefined;
  };
  return {
    isThere: () => reason === null,
    /** Resolves when the database is there; rejects with a StoreError when it is and cannot be used. */
    reached: goOn(),
    /** Tries no more; `reached` stays open. */
    stopWaiting(): void {
      isStopped = true;
    },
  };
}
