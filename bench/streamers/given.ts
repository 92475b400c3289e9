/** The environment of a streamer. */
import { type Family, findFamily } from "../families.ts";
import { findHost } from "../hosts.ts";

/** The host of the wire WIRE; undefined: it is that of a family's maker. */
export function givenHost(): ReturnType<typeof findHost> {
  return findHost(process.env["WIRE"] ?? "");
}

/** The family of the wire WIRE. */
export function givenFamily(): Family {
  const family = givenHost()?.family ?? findFamily(process.env["WIRE"] ?? "");
  if (family === undefined) throw new Error("WIRE names no family of providers, and no host");
  return family;
}

/** The base URL of that wire: PROVIDER. */
export function givenProviderUrl(): string {
  return process.env["PROVIDER"] ?? "";
}
