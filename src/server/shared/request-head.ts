// The head of a request: repeated headers as lists, the query as a map, which values the Host header may have.
import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import { type ApiError, invalidInput } from "../../contract/errors.ts";

/** The headers that the flows read, each with all values sent. */
export interface RequestHead {
  readonly authorization: readonly string[];
  readonly idempotencyKeys: readonly string[];
  /** Content codings of the body, without `identity`. */
  readonly contentEncodings: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Reads the raw headers: Node's parsed object drops a second Authorization and joins several Idempotency-Keys. */
export function readHead(request: IncomingMessage): RequestHead {
  const head = { authorization: NONE, idempotencyKeys: NONE, contentEncodings: NONE };
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    switch (name.toLowerCase()) {
      case "authorization":
        head.authorization = [...head.authorization, value];
        break;
      case "idempotency-key":
        head.idempotencyKeys = [...head.idempotencyKeys, value];
        break;
      case "content-encoding":
        if (value.trim().toLowerCase() !== "identity") head.contentEncodings = [...head.contentEncodings, value];
        break;
    }
  }
  return head;
}

const NO_QUERY: ReadonlyMap<string, readonly string[]> = new Map();
const INCLUDE_ARRAY_FORM = /^include\[\d*\]$/;

/** The query of a request target; `include`, `include[]` and `include[0]` are all `include` (docs/wire.md, Objects). */
export function readQuery(target: string): ReadonlyMap<string, readonly string[]> {
  const start = target.indexOf("?");
  if (start < 0) return NO_QUERY;
  const query = new Map<string, string[]>();
  // URLSearchParams takes away one question mark; a second one is part of the first name.
  for (const [sentName, value] of new URLSearchParams(target.slice(start))) {
    const name = INCLUDE_ARRAY_FORM.test(sentName) ? "include" : sentName;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

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
