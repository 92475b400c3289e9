// Registries of real providers, in real time: the fakes behind them pause for milliseconds only.
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import { createProviderRegistry, type ProviderEntry } from "../../src/providers/registry.ts";
import { HOST_SERVICES } from "./host-services.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createIds } from "../../src/system/ids.ts";

export function openProviders(entries: readonly ProviderEntry[]): Promise<ProviderRegistry> {
  return createProviderRegistry(entries, { ...HOST_SERVICES, clock: createSystemClock(), ids: createIds() });
}
