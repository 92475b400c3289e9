// SIGTERM, SIGINT and SIGHUP (the terminal was closed): the first starts an orderly stop, a second exits at once.

/**
 * A signal within this time after the first is a duplicate, milliseconds: on one Ctrl-C the terminal signals the process, and npm passes
 * its own copy on.
 */
const DUPLICATE_MILLISECONDS = 500;

/** Sets the function that the first signal calls. */
export type StopOnSignals = (stop: (signal: string) => Promise<void>) => void;

/**
 * Listens for signals. The first one calls `stop` and exits with 0 when it resolves, with 1 when it fails or a second signal comes. Before
 * `stop` is set it exits with 0, since no turn runs yet. A handler is needed from the beginning: process 1 of a container ignores signals
 * without one.
 */
export function listenForSignals(): StopOnSignals {
  let stopInOrder: (signal: string) => Promise<void> = async () => {};
  let stoppingSince: number | null = null;
  const handle = (signal: string) => {
    const now = performance.now();
    if (stoppingSince === null) {
      stoppingSince = now;
      stopInOrder(signal).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    } else if (now - stoppingSince > DUPLICATE_MILLISECONDS) process.exit(1);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, handle);
  return (stop) => {
    stopInOrder = stop;
  };
}
