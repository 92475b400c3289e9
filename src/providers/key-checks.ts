// Checks of the configured providers' keys.
import { type ProviderEntry, withHost } from "./registry.ts";
import type { Host, HostServices, KeyCheck } from "./host.ts";
import { type ExtraHeaders, joinHeaders } from "./wire/extra-headers.ts";
import type { Clock } from "../ports/clock.ts";
import { REASON_CHARACTERS_MAX } from "./wire/bounds.ts";
import { openConnector } from "./wire/connector.ts";
import type { Proxies } from "./wire/proxies.ts";

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

/** The response to a check. */
export interface KeyCheckResponse {
  /** Who has answered, for people. */
  readonly origin: string;
  readonly status: number;
  /** Its beginning. */
  readonly body: string;
}

interface AskOptions {
  readonly clock: Pick<Clock, "after">;
  readonly proxies: Proxies;
  readonly timeoutMs: number;
  /** What is read of the reply at least, if it is that long. */
  readonly bytesMax: number;
}

/**
 * Sends a check over the same connections as a turn: `fetch` would forward the key on a redirect, and blocks some ports.
 * Rejects with an Error for the operator when there is no reply in time.
 */
export async function sendKeyCheck(
  { url, headers }: KeyCheck,
  { clock, proxies, timeoutMs, bytesMax }: AskOptions,
): Promise<KeyCheckResponse> {
  const connector = openConnector(url, proxies, timeoutMs);
  const origin =
    connector.proxy === null ? connector.origin : `${connector.origin}, through the proxy ${connector.proxy},`;
  const timeout = new AbortController();
  const stopTimer = clock.after(timeoutMs, () => timeout.abort());
  try {
    const { statusCode, body } = await connector.dispatcher.request({
      origin: connector.origin,
      path: connector.pathPrefix + url.pathname + url.search,
      method: "GET",
      headers: [...headers, ...connector.headers],
      signal: timeout.signal,
    });
    return { origin, status: statusCode, body: await readBeginning(body, bytesMax) };
  } catch (error) {
    const words = timeout.signal.aborted ? `no reply within ${timeoutMs / 1000} seconds` : wordsOf(error);
    throw new Error(`${origin} can't be reached (${words})`, { cause: error });
  } finally {
    stopTimer();
    await connector.dispatcher.destroy();
  }
}

/** A list of models may be long, and a hostile one endless: leaving the loop closes the connection. */
async function readBeginning(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The message of an error in one line; that of a host with several addresses is only in its parts. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(", ");
  const message = error instanceof Error ? error.message : "unknown";
  return message
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .slice(0, REASON_CHARACTERS_MAX);
}
