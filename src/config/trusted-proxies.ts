// The reverse proxies whose X-Forwarded-For is believed: addresses, and ranges of them in CIDR notation.
import { isIP } from "node:net";
import type { AddressRange } from "../contract/address-range.ts";
import type { ReadConfigFile } from "./config-file.ts";

const BITS = { ipv4: 32, ipv6: 128 } as const;
const RANGE = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i;

/** Reads `server.trusted_proxies`. Throws an OperatorError that names the line of a wrong entry. */
export function readTrustedProxies(file: ReadConfigFile | null): readonly AddressRange[] {
  if (file === null) return [];
  return (file.config.server?.trusted_proxies ?? []).map((text, index) => {
    const range = readRange(text);
    if (range !== null) return range;
    const allowed = "an address such as 10.0.0.1, or a range in CIDR notation such as 10.0.0.0/8 or fd00::/8";
    throw file.faultAt(["server", "trusted_proxies", index], `is "${text}"; allowed: ${allowed}.`);
  });
}

/** An address or a range; null for any other text. */
function readRange(text: string): AddressRange | null {
  const [, address = "", bits] = RANGE.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const family = version === 4 ? "ipv4" : "ipv6";
  const prefix = bits === undefined ? BITS[family] : Number(bits);
  return prefix <= BITS[family] ? { family, address, prefix } : null;
}
