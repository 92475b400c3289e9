// SIGTERM and SIGINT stop the service, a second one at once. SIGHUP reloads the configuration, or stops the service
// when its terminal was closed: then nobody could see it any more.
import { closeSync, openSync } from "node:fs";

/**
 * A signal within this time after the first is a duplicate, milliseconds: on one Ctrl-C the terminal signals the
 * process, and npm passes its own copy on.
 */
const DUPLICATE_MS = 500;

export interface SignalHandlers {
  readonly stop: (signal: string) => Promise<void>;
  /** Never rejects. */
  readonly reload: () => Promise<void>;
}

export interface Signals {
  /** Sets the functions that signals call. */
  handleBy(handlers: SignalHandlers): void;
  /** Stops the service as a first signal does; does nothing if it is stopping already. */
  stop(signal: string): void;
  /** Reloads the configuration as SIGHUP does. */
  reload(): void;
}

/**
 * Listens for signals. The first one to stop the service calls `stop` and exits with 0 when it resolves, with 1 when it
 * fails or a second signal comes. Before the handlers are set it exits with 0, since no response runs yet, and a reload
 * waits for them: the configuration may have been read already. A listener is needed from the beginning: process 1 of a
 * container ignores signals without one, and SIGHUP ends other processes.
 */
export function listenForSignals(): Signals {
  let handlers: SignalHandlers | null = null;
  let isReloadDue = false;
  let stoppingSince: number | null = null;
  const stop = (signal: string) => {
    if (stoppingSince !== null) return;
    stoppingSince = performance.now();
    (handlers?.stop(signal) ?? Promise.resolve()).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const stopBySignal = (signal: string) => {
    if (stoppingSince !== null && performance.now() - stoppingSince > DUPLICATE_MS) process.exit(1);
    stop(signal);
  };
  const reload = () => {
    if (handlers === null) isReloadDue = true;
    else if (stoppingSince === null) void handlers.reload();
  };
  const startedInTerminal = hasTerminal();
  process.on("SIGTERM", stopBySignal);
  process.on("SIGINT", stopBySignal);
  process.on("SIGHUP", (signal) => {
    if (startedInTerminal && !hasTerminal()) stopBySignal(signal);
    else reload();
  });
  return {
    handleBy(set) {
      handlers = set;
      if (isReloadDue) void set.reload();
    },
    stop,
    reload,
  };
}

/** Whether the process has a terminal: once that is closed, the name leads nowhere. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r+"));
    return true;
  } catch {
    return false;
  }
}
