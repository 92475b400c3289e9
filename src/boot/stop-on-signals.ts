// SIGTERM, SIGINT and SIGHUP (its terminal was closed): the first asks for an orderly stop, a second for an end at once.

/**
 * A signal that follows the first within this time is the same wish, milliseconds: of one Ctrl-C npm passes its own copy on to a
 * process that the terminal has already told.
 */
const SAME_WISH_MILLISECONDS = 500;

/** Calls `stop` at the first signal and exits with 0 when it resolves, with 1 when it fails or a second signal comes. */
export function stopOnSignals(stop: (signal: string) => Promise<void>): void {
  let stoppingSince: number | null = null;
  const heed = (signal: string) => {
    const now = performance.now();
    if (stoppingSince === null) {
      stoppingSince = now;
      stop(signal).then(
        () => process.exit(0),
        () => process.exit(1),
      );
    } else if (now - stoppingSince > SAME_WISH_MILLISECONDS) process.exit(1);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, heed);
}
