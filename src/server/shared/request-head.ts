// The head of a request: repeated headers as lists, the query as a map.
import type { IncomingMessage } from "node:http";

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
