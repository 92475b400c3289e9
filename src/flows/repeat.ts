// Repeats work as long as the process serves.
import { type Clock, pause } from "../ports/clock.ts";

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
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    if (!startsAtOnce) await pause(clock, everyMs, signal);
    while (!signal.aborted) {
      try {
        await work(() => signal.aborted);
      } catch (error) {
        onError(error);
      }
      await pause(clock, everyMs, signal);
    }
  };
  const ended = loop();
  return () => {
    stopping.abort();
    return ended;
  };
}
