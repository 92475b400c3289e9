import { FAMILIES } from "../../src/providers/families.ts";
import type { ProviderFamily } from "../../src/providers/family.ts";

/** The provider family of that type. */
export function familyOf(type: string): ProviderFamily {
  const family = FAMILIES.find((known) => known.type === type);
  if (family === undefined) throw new Error(`There is no provider family "${type}".`);
  return family;
}
