// A provider with several keys: each round uses the next one.
import type { Provider } from "../../ports/provider.ts";

/**
 * Combines providers that differ only in their key. A round is sent with one key: an error with that key is the error of the round
 * (docs/wire.md, Provider retries).
 */
export function rotateKeys(providers: readonly [Provider, ...Provider[]]): Provider {
  const [first] = providers;
  if (providers.length === 1) return first;
  let rounds = 0;
  return {
    name: first.name,
    reasoningOf: (model, prompt) => first.reasoningOf(model, prompt),
    unsupportedOf: (model, prompt) => first.unsupportedOf?.(model, prompt) ?? null,
    run(call, receive) {
      const provider = providers[rounds++ % providers.length] ?? first;
      return provider.run(call, receive);
    },
    async close() {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}
