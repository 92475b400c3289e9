// Records the exchanges of one provider as its connections see them; nothing of them changes.
import type { Dispatcher } from "undici";
import type { Clock } from "../../ports/clock.ts";
import { type OpenConnector, openConnector } from "../wire/connector.ts";
import type { ResponseHeaders } from "../wire/response-headers.ts";

/** An exchange as it was: with its secrets and its content. */
export interface RawExchange {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body: string;
  /** Null: none came. */
  response: RawResponse | null;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** As the connection gave them, with the milliseconds since the request was sent. */
  readonly chunks: { readonly ms: number; readonly bytes: Buffer }[];
  /** Whether it came to its end. */
  isWhole: boolean;
}

/** Opens connections that are recorded. */
export interface Tap {
  readonly connect: OpenConnector;
  /** So far, in order. */
  readonly exchanges: readonly RawExchange[];
}

/** Creates the recorder of one turn. */
export function createTap(clock: Pick<Clock, "monotonicMs">): Tap {
  const exchanges: RawExchange[] = [];
  const connect: OpenConnector = (url, proxies, silenceMs) => {
    const connector = openConnector(url, proxies, silenceMs);
    const base = connector.pathPrefix + url.pathname.replace(/\/+$/, "");
    const { dispatcher } = connector;
    return {
      ...connector,
      dispatcher: {
        dispatch(options, handler) {
          const { body } = options;
          // Longer ones are sent in pieces.
          if (typeof body !== "string") throw new Error("A request of more than 1 MiB can't be recorded.");
          const { pathname } = new URL(options.path.slice(base.length), "http://below.invalid");
          const exchange: RawExchange = {
            method: options.method,
            path: pathname,
            headers: options.headers as readonly string[],
            body,
            response: null,
          };
          exchanges.push(exchange);
          return dispatcher.dispatch(options, listen(handler, exchange, clock));
        },
        destroy: () => dispatcher.destroy(),
      },
    };
  };
  return { connect, exchanges };
}

/** Passes everything on to the handler, and keeps it. */
function listen(
  handler: Dispatcher.DispatchHandler,
  exchange: RawExchange,
  clock: Pick<Clock, "monotonicMs">,
): Dispatcher.DispatchHandler {
  const sentMs = clock.monotonicMs();
  return {
    onRequestStart: (controller, context: unknown) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, statusMessage) {
      if (status >= 200) exchange.response = { status, headers, chunks: [], isWhole: false };
      handler.onResponseStart?.(controller, status, headers, statusMessage);
    },
    onResponseData(controller, chunk) {
      // The handler may keep the chunk, and the connection may use its memory again.
      exchange.response?.chunks.push({ ms: Math.round(clock.monotonicMs() - sentMs), bytes: Buffer.from(chunk) });
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd(controller, trailers) {
      if (exchange.response !== null) exchange.response.isWhole = true;
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
