// An object without some of its fields, to compare runs without varying fields.
import type { Loose } from "./http-client.ts";

export function without(object: Loose, ...names: readonly string[]): Loose {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
