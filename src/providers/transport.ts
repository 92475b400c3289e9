// HTTP to one provider: a pool of kept connections, one exchange a round.
//
// undici's `dispatch` and not `fetch`, which costs 190 µs more a request (docs/performance.md).
import { Pool } from "undici";
import type { Clock } from "../ports/clock.ts";
import { CONNECT_TIMEOUT_MS } from "./bounds.ts";
import { ExchangeHandler, type ProviderExchange } from "./exchange.ts";

export interface Transport {
  /** Resolves when the answer is read to its end; rejects with a ProviderFailure. An abort closes the connection at once. */
  post(exchange: ProviderExchange): Promise<void>;
  /** Closes every connection. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly provider: string;
  /** http or https; a path and a query are kept. */
  readonly baseUrl: URL;
  /** Sent with every request, beside those of JSON and of event streams: name, value, name, value. */
  readonly headers: readonly string[];
  readonly clock: Clock;
}

/** Opens the pool of one provider; connections are made when they are needed. */
export function createTransport(options: TransportOptions): Transport {
  const { provider, baseUrl, clock } = options;
  const pool = new Pool(baseUrl.origin, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A slow model may be silent for minutes. The run has its own deadline and aborts by signal.
    headersTimeout: 0,
    bodyTimeout: 0,
    // One request a connection: an abort closes the connection and must hit nobody else; HTTP/2 would share it.
    pipelining: 1,
    allowH2: false,
  });
  const prefix = baseUrl.pathname.replace(/\/+$/, "");
  const headers = [
    "content-type",
    "application/json",
    "accept",
    "text/event-stream, application/json",
    // Compression delays deltas and saves nothing on lines of 200 bytes.
    "accept-encoding",
    "identity",
    "user-agent",
    "turngate",
    ...options.headers,
  ];

  return {
    post(exchange) {
      return new Promise((resolve, reject) => {
        const handler = new ExchangeHandler(provider, exchange, clock, resolve, reject);
        if (!handler.listen()) return;
        const own = exchange.headers;
        pool.dispatch(
          {
            method: "POST",
            path: prefix + exchange.path + baseUrl.search,
            headers: own === undefined ? headers : [...headers, ...own],
            body: exchange.body,
          },
          handler,
        );
      });
    },
    async close() {
      await pool.destroy();
    },
  };
}
