// The health of providers, observed from the calls that responses make; no request is made for it. In this process
// only.
import { MINUTE_MS } from "../../base/time.ts";
import type { FailureCode } from "../../contract/failures.ts";
import { PROVIDER_WINDOW_MINUTES } from "../../contract/manage/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Provider, type ProviderRegistry, UpstreamError } from "../../ports/provider.ts";

/** What was observed of a provider since the process started. */
export interface ProviderHealth {
  readonly lastSuccessAtMs: number | null;
  readonly lastFailure: {
    readonly atMs: number;
    readonly code: FailureCode;
    readonly status: number | null;
    readonly requestId: string | null;
  } | null;
  /** Ended calls of the last minutes, each attempt by itself. */
  readonly calls: number;
  /** Failed ones among them, most frequent code first. */
  readonly failures: readonly { readonly code: FailureCode; readonly count: number }[];
}

/** Observes the calls to providers and knows how they went. */
export interface ProviderObserver {
  /**
   * The same providers, whose calls are observed. A provider of the same name after a reload of the configuration goes
   * on where it was.
   */
  observe(registry: ProviderRegistry): ProviderRegistry;
  /** `minutes`: how many the counted calls are from, this one included. */
  healthOf(name: string, minutes?: number): ProviderHealth;
}

/** The calls that ended in one minute. */
interface Minute {
  readonly number: number;
  calls: number;
  readonly failures: Map<FailureCode, number>;
}

interface Observed {
  lastSuccessAtMs: number | null;
  lastFailure: ProviderHealth["lastFailure"];
  /** The last minutes that had a call, oldest first: as few as the window has, each with as few codes as there are. */
  minutes: Minute[];
}

/** Observes providers: its memory grows with the number of their names only. */
export function createProviderObserver(clock: Clock): ProviderObserver {
  const observed = new Map<string, Observed>();
  const find = (name: string): Observed => {
    const known = observed.get(name);
    if (known !== undefined) return known;
    const fresh: Observed = { lastSuccessAtMs: null, lastFailure: null, minutes: [] };
    observed.set(name, fresh);
    return fresh;
  };
  const openMinute = (provider: Observed): Minute => {
    const number = Math.floor(clock.nowMs() / MINUTE_MS);
    const last = provider.minutes.at(-1);
    if (last?.number === number) return last;
    const minute: Minute = { number, calls: 0, failures: new Map() };
    provider.minutes = [...withinWindow(provider.minutes, number), minute];
    return minute;
  };
  const recordSuccess = (name: string): void => {
    const provider = find(name);
    provider.lastSuccessAtMs = clock.nowMs();
    openMinute(provider).calls++;
  };
  const recordFailure = (name: string, { code, status, requestId }: UpstreamError): void => {
    const provider = find(name);
    provider.lastFailure = { atMs: clock.nowMs(), code, status, requestId };
    const minute = openMinute(provider);
    minute.calls++;
    minute.failures.set(code, (minute.failures.get(code) ?? 0) + 1);
  };
  const observe = (name: string, provider: Provider): Provider => ({
    name: provider.name,
    reasoningOf: (model, prompt) => provider.reasoningOf(model, prompt),
    unsupportedOf: (model, prompt) => provider.unsupportedOf?.(model, prompt) ?? null,
    async run(call, receive) {
      try {
        await provider.run(call, receive);
      } catch (error) {
        // A call that was aborted says nothing about the provider, and a fault of our own neither.
        if (error instanceof UpstreamError && !call.signal.aborted) recordFailure(name, error);
        throw error;
      }
      recordSuccess(name);
    },
    close: () => provider.close(),
  });
  return {
    observe(registry) {
      const wrapped = new Map<string, Provider>();
      return {
        get(name) {
          const known = wrapped.get(name) ?? observe(name, registry.get(name));
          wrapped.set(name, known);
          return known;
        },
        close: () => registry.close(),
      };
    },
    healthOf(name, windowMinutes = PROVIDER_WINDOW_MINUTES) {
      const { lastSuccessAtMs, lastFailure, minutes } = find(name);
      const recent = withinWindow(minutes, Math.floor(clock.nowMs() / MINUTE_MS), windowMinutes);
      return {
        lastSuccessAtMs,
        lastFailure,
        calls: recent.reduce((sum, { calls }) => sum + calls, 0),
        failures: sumByCode(recent),
      };
    },
  };
}

/** The minutes that are within the window at a minute. */
function withinWindow(minutes: readonly Minute[], now: number, windowMinutes = PROVIDER_WINDOW_MINUTES): Minute[] {
  return minutes.filter(({ number }) => number > now - windowMinutes && number <= now);
}

function sumByCode(minutes: readonly Minute[]): ProviderHealth["failures"] {
  const counts = new Map<FailureCode, number>();
  for (const { failures } of minutes) {
    for (const [code, count] of failures) counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return Array.from(counts, ([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count);
}
