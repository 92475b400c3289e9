// Repeats work as long as the process serves.
import type { Clock } from "../ports/clock.ts";

/** Work that is repeated, and how. */
export interface Repetition {
  /** The pause between two runs, milliseconds. */
  readonly everyMs: number;
  /** Whether the first run comes before the first pause. */
  readonly startsAtOnce?: boolean;
  /** `isStopped` lets long work end early. */
  readonly work: (isStopped: () => boolean) => Promise<void>;
  /** Gets each error of the work, which is repeated all the same. */
  readonly onError: (error: unknown) => void;
}

/** Repeats work until the result is called, which resolves when the work has ended. */
export function repeat(
  clock: Pick<Clock, "after">,
  { everyMs, startsAtOnce = false, work, onError }: Repetition,
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
    if (!startsAtOnce) await wait();
    for (;;) {
      if (isStopped) return;
      try {
        await work(() => isStopped);
      } catch (error) {
        onError(error);
      }
      if (!isStopped) await wait();
    }
  };
  const ended = loop();
  return () => {
    isStopped = true;
    stopWaiting();
    return ended;
  };
}
