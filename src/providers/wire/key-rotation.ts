// A provider with several keys. A history keeps its key: the keys may be of several accounts, and what a provider needs
// back within a turn (encrypted reasoning, signatures) and its prompt caches are of one account.
import { fractionOf } from "../../base/fraction-of.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Provider, UpstreamError } from "../../ports/provider.ts";

/** How long a key rests after a failure of its own, milliseconds, if the provider names no time. */
const REST_MS = 30_000;
/** The longest wait that a provider may ask for, milliseconds. */
const REST_MS_MAX = 3_600_000;

/**
 * Combines providers that differ only in their key. A round is sent with one key, and an error with that key is the
 * error of the round (docs/wire.md, Provider retries). A key that is rejected, empty or at its limit rests, and its
 * histories go on with others meanwhile.
 */
export function rotateKeys(providers: readonly [Provider, ...Provider[]], clock: Pick<Clock, "monotonicMs">): Provider {
  const [first] = providers;
  if (providers.length === 1) return first;
  const keys = providers.map((provider, position) => ({ provider, position, restsUntilMs: 0 }));

  /** The key of a history. When one is added, or rests, only the histories that it takes or had change theirs. */
  function keyOf(thread: string) {
    const nowMs = clock.monotonicMs();
    const awake = keys.filter(({ restsUntilMs }) => restsUntilMs <= nowMs);
    const placeOf = ({ position }: (typeof keys)[number]) => fractionOf(`${thread} ${position}`);
    // Where all rest, the history keeps its own.
    return (awake.length === 0 ? keys : awake).reduce((best, key) => (placeOf(key) < placeOf(best) ? key : best));
  }

  return {
    name: first.name,
    reasoningOf: (model, prompt) => first.reasoningOf(model, prompt),
    unsupportedOf: (model, prompt) => first.unsupportedOf?.(model, prompt) ?? null,
    async run(call, receive) {
      const key = keyOf(call.thread);
      try {
        await key.provider.run(call, receive);
      } catch (error) {
        if (error instanceof UpstreamError && isOfKey(error)) {
          const askedMs = error.retryAfterSeconds === null ? REST_MS : error.retryAfterSeconds * 1000;
          key.restsUntilMs = clock.monotonicMs() + Math.min(askedMs, REST_MS_MAX);
        }
        throw error;
      }
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

/** Whether a failure is the key's, not the request's or the server's. */
function isOfKey({ code, status }: UpstreamError): boolean {
  if (code === "provider_rate_limited") return true;
  return code === "provider_unavailable" && status !== null && status >= 400 && status < 500 && status !== 404;
}
