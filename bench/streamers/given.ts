/** The environment of a streamer. */
import { type Family, findFamily } from "../families.ts";

/** The family of the wire: FAMILY. */
export function givenFamily(): Family {
  const family = findFamily(process.env["FAMILY"] ?? "");
  if (family === undefined) throw new Error("FAMILY names no family of providers");
  return family;
}

/** The base URL of that wire: PROVIDER. */
export function givenProviderUrl(): string {
  return process.env["PROVIDER"] ?? "";
}
