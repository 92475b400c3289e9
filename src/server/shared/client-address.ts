// The network address of a client behind reverse proxies. Anybody can send X-Forwarded-For, so it is read from its end,
// where the nearest proxy has written, and only as far as proxies are trusted.
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { AddressRange } from "../../contract/address-range.ts";

/** The address with which a proxy may name the port too: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/;

/**
 * Creates the function that finds the address of a request's client: of the addresses in X-Forwarded-For and of the
 * connection, from the nearest on, the first that is no trusted proxy. What is no address ends the search.
 */
export function createClientAddress(trusted: readonly AddressRange[]): (request: IncomingMessage) => string {
  const proxies = new BlockList();
  for (const { address, prefix, family } of trusted) proxies.addSubnet(address, prefix, family);
  const isProxy = (address: string) => {
    // Without the zone of a link-local address, such as fe80::1%eth0.
    const [plain = ""] = address.split("%");
    // The address of a connection that has gone is unknown.
    return isIP(plain) !== 0 && proxies.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
  };
  return ({ socket, headersDistinct }) => {
    let address = socket.remoteAddress ?? "";
    if (trusted.length === 0 || !isProxy(address)) return address;
    const forwarded = (headersDistinct["x-forwarded-for"] ?? []).join(",").split(",").toReversed();
    for (const entry of forwarded) {
      const named = readAddress(entry.trim());
      if (named === null) return address;
      address = named;
      if (!isProxy(address)) return address;
    }
    return address;
  };
}

function readAddress(text: string): string | null {
  const [, inBrackets, beforePort] = WITH_PORT.exec(text) ?? [];
  const address = inBrackets ?? beforePort ?? text;
  return isIP(address) === 0 ? null : address;
}
