// An object less some of its members: what differs from run to run is left out of a comparison.
import type { Loose } from "./http-client.ts";

export function without(object: Loose, ...names: readonly string[]): Loose {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
