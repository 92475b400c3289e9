import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { AddressRange } from "../../contract/address-range.ts";
import { createClientAddress } from "./client-address.ts";

const PROXIES: readonly AddressRange[] = [
  { family: "ipv4", address: "10.0.0.0", prefix: 8 },
  { family: "ipv4", address: "192.0.2.7", prefix: 32 },
  { family: "ipv6", address: "fd00::", prefix: 8 },
];

function addressOf(peer: string | undefined, forwarded: string[] | undefined, trusted = PROXIES): string {
  const headersDistinct = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return createClientAddress(trusted)({
    socket: { remoteAddress: peer },
    headersDistinct,
  } as unknown as IncomingMessage);
}

/** The connection's address, the header's values, the client's address. */
const CLIENTS: readonly [peer: string | undefined, forwarded: string[] | undefined, client: string][] = [
  // A peer that is no proxy names nobody.
  ["203.0.113.5", ["198.51.100.1"], "203.0.113.5"],
  ["192.0.2.8", ["198.51.100.1"], "192.0.2.8"],
  // One proxy, several, and what a client has written itself before theirs.
  ["10.1.2.3", ["198.51.100.1"], "198.51.100.1"],
  ["192.0.2.7", ["198.51.100.1, 10.9.9.9"], "198.51.100.1"],
  ["10.1.2.3", ["1.1.1.1, 198.51.100.1, 10.9.9.9"], "198.51.100.1"],
  ["10.1.2.3", ["1.1.1.1", "198.51.100.1", "10.9.9.9"], "198.51.100.1"],
  // All are proxies: the farthest one.
  ["10.1.2.3", ["10.4.4.4, 10.9.9.9"], "10.4.4.4"],
  // What is no address ends the search.
  ["10.1.2.3", ["1.1.1.1, unknown, 10.9.9.9"], "10.9.9.9"],
  ["10.1.2.3", ["unknown"], "10.1.2.3"],
  ["10.1.2.3", [""], "10.1.2.3"],
  ["10.1.2.3", ["198.51.100.1,"], "10.1.2.3"],
  ["10.1.2.3", undefined, "10.1.2.3"],
  // With ports, IPv6, and IPv4 as IPv6.
  ["10.1.2.3", ["198.51.100.1:4711"], "198.51.100.1"],
  ["10.1.2.3", ["[2001:db8::1]:443"], "2001:db8::1"],
  ["10.1.2.3", ["[2001:db8::1]"], "2001:db8::1"],
  ["fd12::1", ["2001:db8::1"], "2001:db8::1"],
  ["::ffff:10.1.2.3", ["198.51.100.1"], "198.51.100.1"],
  ["::ffff:203.0.113.5", ["198.51.100.1"], "::ffff:203.0.113.5"],
  ["fe80::1%eth0", ["198.51.100.1"], "fe80::1%eth0"],
  // The connection is gone.
  [undefined, ["198.51.100.1"], ""],
];

for (const [peer, forwarded, client] of CLIENTS) {
  test(`from ${peer} for ${forwarded?.join(" | ")}: ${client}`, () => {
    assert.equal(addressOf(peer, forwarded), client);
  });
}

test("without trusted proxies the header counts for nothing", () => {
  assert.equal(addressOf("10.1.2.3", ["198.51.100.1"], []), "10.1.2.3");
});
