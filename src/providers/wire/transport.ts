// HTTP to one provider: a pool of keep-alive connections, one exchange a round.
//
// Uses undici's `dispatch`: `fetch` takes 190 µs more a request (docs/performance.md).
import { Readable } from "node:stream";
import { ExchangeHandler, type ProviderExchange } from "./exchange.ts";
import { joinHeaders } from "./extra-headers.ts";
import { type Endpoint, isKeyRejection } from "../endpoint.ts";
import type { FamilyEntry, ProviderServices } from "../family.ts";
import type { Host } from "../host.ts";
import { NO_PROXIES } from "./proxies.ts";
import { openConnector } from "./connector.ts";
import { ERROR_MESSAGES } from "./error-codes.ts";
import { UpstreamError } from "../../ports/provider.ts";
import { secretsOf, secretsOfUrl } from "./secrets.ts";
import { createUtf8Reader } from "./utf8.ts";

export interface Transport {
  /** Resolves when the response has been read; rejects with an UpstreamError. An abort closes the connection at once. */
  post(exchange: ProviderExchange): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly entry: FamilyEntry;
  /** Its headers are sent in addition to those for JSON and event streams. */
  readonly endpoint: Endpoint;
  readonly services: ProviderServices;
}

/** Longer bodies are sent in pieces and released; the pool keeps a copy of shorter ones until the response. */
const LONG_BODY_CHARACTERS = 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/** A body that is released as it is sent. */
class LongBody extends Readable {
  #left: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.#left = bytes;
  }

  /** Whether the connection has taken all of it. */
  isTaken(): boolean {
    return this.#left.length === 0;
  }

  override _read(): void {
    const piece = this.#left.subarray(0, PIECE_BYTES);
    const rest = this.#left.subarray(PIECE_BYTES);
    // An empty subarray would retain the whole buffer.
    this.#left = rest.length === 0 ? NOTHING : rest;
    this.push(piece.length === 0 ? null : piece);
  }
}

/** Whether the connection has taken all of a request; outside `send`, whose scope has the request's text. */
function createSentWhole(long: LongBody | null): () => boolean {
  return () => long === null || long.isTaken();
}

/** A stream has no length of its own. */
function lengthOf(bytes: Buffer | null): readonly string[] {
  return bytes === null ? [] : ["content-length", String(bytes.length)];
}

const NOTHING = Buffer.alloc(0);

/** The request was not sent: it is as if no connection could be made. */
function withoutCredentials(provider: string, cause: unknown): UpstreamError {
  const message = ERROR_MESSAGES.provider_unavailable;
  return new UpstreamError({ code: "provider_unavailable", message, provider, certainlyNotRun: true, cause });
}

/** The headers, or none once the exchange is aborted: it is not sent then, and need not wait for a token. */
async function unlessAborted(signal: AbortSignal, headers: Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise: aborted, resolve } = Promise.withResolvers<readonly string[]>();
  const onAbort = () => resolve([]);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, headers]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function isRejection(error: unknown): boolean {
  return error instanceof UpstreamError && error.status !== null && isKeyRejection(error.status);
}

/** An exchange that may be sent again, and the same, watched: its body is released as soon as a response other than a rejection begins. */
function keepUntilAccepted(exchange: ProviderExchange) {
  const kept: { exchange: ProviderExchange | null } = { exchange };
  const { onResponse } = exchange;
  const watched: ProviderExchange = {
    ...exchange,
    onResponse(head) {
      if (!isKeyRejection(head.status)) kept.exchange = null;
      onResponse?.(head);
    },
  };
  return { kept, watched };
}

/** Creates the pool of one provider; it connects on demand. */
export function createTransport({ entry, endpoint, services }: TransportOptions): Transport {
  const { baseUrl } = endpoint;
  const extra = entry.headers ?? {};
  // No default limit: a slow model may be silent for minutes. The run has its own deadline and aborts by signal.
  const { proxies = NO_PROXIES, connect = openConnector } = services;
  const connector = connect(baseUrl, proxies, (entry.timeoutSeconds ?? 0) * 1000);
  const { dispatcher, origin } = connector;
  const path = baseUrl.pathname.replace(/\/+$/, "");
  const ours = [
    "content-type",
    "application/json",
    "accept",
    "text/event-stream, application/json",
    // Compression delays deltas and saves little on lines of 200 bytes.
    "accept-encoding",
    "identity",
    "user-agent",
    "turngate",
    ...endpoint.headers,
    ...connector.headers,
  ];
  const headers = joinHeaders(ours, extra);
  const secrets = [
    ...(entry.apiKey === null ? [] : [entry.apiKey]),
    ...secretsOf([...Object.entries(extra).flat(), ...connector.headers]),
    ...secretsOfUrl(baseUrl),
  ];
  const { host } = entry;

  /** Sends an exchange; `added` are the headers with the credentials of this request. */
  function send(exchange: ProviderExchange, added: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      // A response may take minutes; the handler must not retain the request body.
      const { body, ...awaited } = exchange;
      const bytes = body.length > LONG_BODY_CHARACTERS ? Buffer.from(body) : null;
      const long = bytes === null ? null : new LongBody(bytes);
      const handler = new ExchangeHandler({
        provider: entry.name,
        exchange: awaited,
        secrets: added.length === 0 ? secrets : [...secrets, ...secretsOf(added)],
        clock: services.clock,
        text: host?.createReader?.() ?? createUtf8Reader(),
        isSentWhole: createSentWhole(long),
        resolve,
        reject,
      });
      if (!handler.listen()) return;
      const further = [...(exchange.headers ?? []), ...added, ...lengthOf(bytes)];
      dispatcher.dispatch(
        {
          origin,
          method: "POST",
          path: connector.pathPrefix + path + exchange.path + baseUrl.search,
          headers: further.length === 0 ? headers : [...headers, ...further],
          body: long ?? body,
        },
        handler,
      );
    });
  }

  /**
   * Sends an exchange with credentials. Those that the provider rejects are asked for again, once, if `discard` takes them: it has run
   * nothing.
   */
  async function sendAuthorized(
    exchange: ProviderExchange,
    authorize: NonNullable<Host["authorize"]>,
    discard: Host["discardCredentials"],
  ): Promise<void> {
    const added = await unlessAborted(
      exchange.signal,
      authorize({
        method: "POST",
        origin,
        path: path + exchange.path + baseUrl.search,
        headers: [...headers, ...(exchange.headers ?? [])],
        body: exchange.body,
      }),
    ).catch((error: unknown) => {
      throw withoutCredentials(entry.name, error);
    });
    // Not awaited, since this function retains the request body.
    if (discard === undefined) return send(exchange, added);
    const givenMs = services.clock.nowMs();
    const { kept, watched } = keepUntilAccepted(exchange);
    return send(watched, added).catch((error: unknown) => {
      if (kept.exchange === null || !isRejection(error) || !discard(givenMs)) throw error;
      return sendAuthorized(kept.exchange, authorize, undefined);
    });
  }

  return {
    post: (exchange) =>
      host?.authorize === undefined
        ? send(exchange, [])
        : sendAuthorized(exchange, host.authorize, host.discardCredentials),
    async close() {
      await dispatcher.destroy();
    },
  };
}
