// Checks of the configured providers' keys.
import { type ProviderEntry, withHost } from "./registry.ts";
import type { Host, HostServices, KeyCheck } from "./host.ts";
import { type ExtraHeaders, joinHeaders } from "./wire/extra-headers.ts";
import { ERROR_BODY_BYTES_MAX } from "./wire/bounds.ts";
import type { Connector } from "./wire/connector.ts";

/** The check of an entry's key; null when there is nothing to check. Rejects with an Error for the operator when the entry cannot work. */
export async function createKeyCheck(entry: ProviderEntry, services: HostServices): Promise<KeyCheck | null> {
  const { host } = await withHost(entry, services);
  if (host !== undefined) return authorizeCheck(host, entry.headers ?? {});
  const create = await entry.family.loadCreateKeyCheck?.();
  if (create === undefined) return null;
  const check = create(entry);
  return { ...check, headers: joinHeaders(check.headers, entry.headers ?? {}) };
}

/** The check of a host, with its credentials. Rejects with an Error for the operator when there are none. */
async function authorizeCheck({ check, authorize }: Host, extra: ExtraHeaders): Promise<KeyCheck> {
  const { url } = check;
  const headers = joinHeaders(check.headers, extra);
  if (authorize === undefined) return { ...check, headers };
  const { origin, pathname, search } = url;
  const added = await authorize({ method: "GET", origin, path: pathname + search, headers, body: "" });
  return { ...check, headers: [...headers, ...added] };
}

/** The response to a key check. */
export interface KeyCheckResponse {
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
}

/**
 * Sends a check over the same connections as a turn: `fetch` would forward the key on a redirect, and blocks some
 * ports.
 */
export async function sendKeyCheck(
  connector: Connector,
  { url, headers }: KeyCheck,
  signal: AbortSignal,
): Promise<KeyCheckResponse> {
  const { statusCode, body } = await connector.dispatcher.request({
    origin: connector.origin,
    path: connector.pathPrefix + url.pathname + url.search,
    method: "GET",
    headers: [...headers, ...connector.headers],
    signal,
  });
  return { status: statusCode, body: await readBeginning(body) };
}

/** A list of models may be long, and a hostile one endless: leaving the loop closes the connection. */
async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ERROR_BODY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
