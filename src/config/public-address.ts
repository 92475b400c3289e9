// Whether a server's address is one of the internet, where models cost money.
import { BlockList, isIP } from "node:net";
import type { ProviderEntry } from "../providers/registry.ts";

const PRIVATE_ADDRESSES = new BlockList();
for (const [net, prefix, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(net, prefix, family);
}

/** Names that no public server has: of one label, or under one of the domains of private networks. */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|localhost|internal|lan|home\.arpa|svc|test)\.?$/;

/** Whether a provider bills its customers, as far as can be told: its type does, or its server is on the internet. */
export function isPaid({ family, baseUrl }: Pick<ProviderEntry, "family" | "baseUrl">): boolean {
  return family.isPaid || (baseUrl !== null && isPublic(new URL(baseUrl)));
}

/** Whether an address is public. No name is looked up. */
export function isPublic({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(host);
  if (version === 0) return !PRIVATE_NAME.test(host);
  return !PRIVATE_ADDRESSES.check(host, version === 4 ? "ipv4" : "ipv6");
}
