// Repeats work as long as the process serves.
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/**
 * Repeats work, each time this long after it has ended. A failure is logged, and the work is repeated all the same. The
 * result stops it and resolves when it has ended.
 */
export function repeat(
  { clock, log }: { readonly clock: Pick<Clock, "after">; readonly log: Pick<Log, "warn"> },
  everyMs: number,
  work: () => Promise<void>,
): () => Promise<void> {
  let isStopped = false;
  let stopWaiting = (): void => {};
  const wait = () =>
    new Promise<void>((resolve) => {
      const stopTimer = clock.after(everyMs, resolve);
      stopWaiting = () => {
        stopTimer();
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    for (;;) {
      await wait();
      if (isStopped) return;
      try {
        await work();
      } catch (error) {
        log.warn("node.retry", {}, error);
      }
    }
  };
  const ended = loop();
  return () => {
    isStopped = true;
    stopWaiting();
    return ended;
  };
}
