// Asks the hosts of providers once, in the background, so that wrong credentials are in the log before a turn needs them.
import type { Config } from "../config/config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { hostLibraries } from "./libraries.ts";

/** How long a host may take, its token included. */
const TIMEOUT_MS = 10_000;

type CheckClock = Pick<Clock, "after" | "nowMs" | "monotonicMs">;

export interface HostChecks {
  /**
   * Asks each host of a configuration what `doctor` asks, and logs a warning for each that does not take its
   * credentials. It gives up an earlier look.
   */
  look(config: Pick<Config, "providers" | "proxies">): void;
  /** Gives up: nothing more is asked or logged. */
  stop(): void;
}

export function createHostChecks(clock: CheckClock, log: Pick<Log, "warn">): HostChecks {
  let stop = (): void => {};
  return {
    look({ providers, proxies }) {
      stop();
      const hosted = providers.filter(({ hostSettings }) => hostSettings !== undefined);
      if (hosted.length === 0) return;
      const over = new AbortController();
      let isGivenUp = false;
      const stopTimer = clock.after(TIMEOUT_MS, () => over.abort());
      stop = () => {
        isGivenUp = true;
        stopTimer();
        over.abort();
      };
      const ask = async () => {
        // Loaded late, since few services have hosts.
        const { askProviders } = await import("../providers/ask-providers.ts");
        const own = endingWith(over.signal, clock);
        const found = await askProviders(hosted, { ...hostLibraries(proxies, own), clock: own, proxies });
        stopTimer();
        for (const { name, keys } of found)
          for (const { isOk, detail } of keys)
            if (!isOk && !isGivenUp) log.warn("provider.host_fault", { provider: name, reason: detail });
      };
      void ask();
    },
    stop: () => stop(),
  };
}

/** A clock whose timers fire with the signal at the latest, so that nothing waits any longer. */
function endingWith(signal: AbortSignal, clock: CheckClock): CheckClock {
  return {
    nowMs: clock.nowMs.bind(clock),
    monotonicMs: clock.monotonicMs.bind(clock),
    after(milliseconds, callback) {
      const fire = (): void => {
        stop();
        callback();
      };
      const stopTimer = clock.after(signal.aborted ? 0 : milliseconds, fire);
      const stop = (): void => {
        stopTimer();
        signal.removeEventListener("abort", fire);
      };
      signal.addEventListener("abort", fire);
      return stop;
    },
  };
}
