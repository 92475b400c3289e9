// What a request says before its body, as the flows want it: repeated headers kept apart, the query as a map.
import type { IncomingMessage } from "node:http";

/** The headers that matter here, each with every value that was sent. */
export interface RequestHead {
  readonly authorization: readonly string[];
  readonly idempotencyKeys: readonly string[];
  readonly hosts: readonly string[];
  /** Content codings of the body; `identity` left out. */
  readonly contentEncodings: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/** Reads the headers from their raw list: Node's own object drops a second Authorization and joins a second Idempotency-Key. */
export function readHead(request: IncomingMessage): RequestHead {
  const head = { authorization: NONE, idempotencyKeys: NONE, hosts: NONE, contentEncodings: NONE };
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    // Lengths first: most headers are none of these, and this runs for each of them on every request.
    switch (name.length) {
      case "host".length:
        if (name.toLowerCase() === "host") head.hosts = [...head.hosts, value];
        break;
      case "authorization".length:
        if (name.toLowerCase() === "authorization") head.authorization = [...head.authorization, value];
        break;
      case "idempotency-key".length:
        if (name.toLowerCase() === "idempotency-key") head.idempotencyKeys = [...head.idempotencyKeys, value];
        break;
      case "content-encoding".length:
        if (name.toLowerCase() === "content-encoding" && value.trim().toLowerCase() !== "identity") {
          head.contentEncodings = [...head.contentEncodings, value];
        }
        break;
    }
  }
  return head;
}

const NO_QUERY: ReadonlyMap<string, readonly string[]> = new Map();
const INCLUDE_ARRAY_FORM = /^include\[\d*\]$/;

/** The query of a request target; `include`, `include[]` and `include[0]` are all `include` (docs/wire.md, objects). */
export function readQuery(target: string): ReadonlyMap<string, readonly string[]> {
  const start = target.indexOf("?");
  if (start < 0) return NO_QUERY;
  const query = new Map<string, string[]>();
  for (const [sentName, value] of new URLSearchParams(target.slice(start + 1))) {
    const name = INCLUDE_ARRAY_FORM.test(sentName) ? "include" : sentName;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}
