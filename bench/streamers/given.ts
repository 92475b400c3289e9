/** What a streamer is told by its environment. */
import { type Family, findFamily } from "../families.ts";

/** The family whose wire it reads: FAMILY. */
export function givenFamily(): Family {
  const family = findFamily(process.env["FAMILY"] ?? "");
  if (family === undefined) throw new Error("FAMILY names no family of providers");
  return family;
}

/** Where that wire begins: PROVIDER. */
export function givenProviderUrl(): string {
  return process.env["PROVIDER"] ?? "";
}
