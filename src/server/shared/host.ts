// The Host header: which values a request may have. (RFC 9112, 3.2; RFC 9110, 7.2; RFC 3986, 3.2)
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { type ApiError, invalidInput } from "../../contract/errors.ts";

/** A name, an IPv4 address or an IPv6 address in brackets, then perhaps a port. */
const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::(\d*))?$/i;
const PORT_MAX = 65_535;

/**
 * The error of a request that does not have exactly one Host header with a valid value; null if it has, or is an
 * HTTP/1.0 request without one.
 */
export function hostError(request: IncomingMessage): ApiError | null {
  const { rawHeaders, httpVersion } = request;
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === "host") hosts.push(rawHeaders[index + 1] ?? "");
  }
  const [host] = hosts;
  if (host === undefined && httpVersion === "1.0") return null;
  if (host === undefined || hosts.length > 1) {
    return invalidInput(null, `A request must have exactly one Host header; this one has ${hosts.length}.`);
  }
  return isValidHost(host) ? null : invalidInput(null, "The Host header is not a host with an optional port.");
}

/** Whether a value can be the authority of an http address. */
export function isValidHost(value: string): boolean {
  const match = HOST.exec(value);
  if (match === null) return false;
  const [, ipv6, port] = match;
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port ?? 0) <= PORT_MAX;
}
