// A check of the providers, as operators see it.
import { secondsOf } from "../../ports/clock.ts";
import type { ProviderCheck } from "../providers/check.ts";

export function presentProviderCheck({ atMs, providers }: ProviderCheck) {
  return {
    checked_at: secondsOf(atMs),
    data: providers.map(({ name, type, keys }) => ({
      name,
      type,
      ok: keys.every(({ isOk }) => isOk),
      keys: keys.map(({ position, isOk, detail, durationMs }) => ({
        position,
        ok: isOk,
        detail,
        duration_ms: durationMs,
      })),
    })),
  };
}
