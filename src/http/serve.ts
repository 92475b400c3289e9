// One routed request to its flow and back: what every request under /v1 goes through.
import { notFound, Refusal } from "../contract/errors.ts";
import type { ROUTES } from "../contract/routes.ts";
import type { Exchange, Reply } from "../flows/exchange.ts";
import { answer, answerError, type Call } from "./answer.ts";
import { readPlainBody } from "../listener/body.ts";
import { checkHost } from "../listener/node-server.ts";
import type { Service } from "./operations.ts";
import { type ReferencePage, sendPage } from "../listener/reference.ts";
import { type RequestHead, readHead, readQuery } from "../listener/request-head.ts";
import type { RoutedRequest } from "../listener/router.ts";
import type { StreamSurroundings } from "./sse.ts";

/** What serving needs besides the request. */
export interface Serving {
  readonly service: Service;
  readonly bodyBytesMax: number;
  readonly surroundings: StreamSurroundings;
}

type ServedRoute = (typeof ROUTES)[number];

const NO_BYTES = new Uint8Array(0);

/** Serves a request for an operation: head, query and body become an exchange, which its flow answers. */
export function serveOperation(routed: RoutedRequest, route: ServedRoute, serving: Serving): void {
  const { service } = serving;
  const head = readHead(routed.request);
  const call = openCall(routed, route.operation, head);
  const work = async (): Promise<Reply> => {
    checkHost(routed, head.hosts);
    // The router takes `/responses//cancel` for a path with an empty id; it is another path.
    if (hasEmptyParam(routed.params)) return service.refuseUnknownRoute(head.authorization);
    const open = (body: Uint8Array): Exchange => {
      const exchange: Exchange = {
        operation: route.operation,
        authorization: head.authorization,
        idempotencyKeys: head.idempotencyKeys,
        params: routed.params,
        query: readQuery(routed.request.url ?? ""),
        body,
        allowance: null,
      };
      call.exchange = exchange;
      return exchange;
    };
    // A body sent to a route that reads none is left to Node, which discards it.
    if (route.body === null) return service.serve(open(NO_BYTES));
    let body: Uint8Array;
    try {
      body = await readPlainBody(routed.request, head, serving.bodyBytesMax);
    } catch (error) {
      // Who may not ask hears that first, not what is wrong with the body (docs/product.md, order of refusals).
      if (error instanceof Refusal) await service.admit(open(NO_BYTES));
      throw error;
    }
    return service.serve(open(body));
  };
  void answer(call, work, serving.surroundings);
}

/** Serves a request for a path that no route has: inside /v1 its bearer is looked at first. @spec what-the-service-does */
export function serveUnknownPath(routed: RoutedRequest, serving: Serving): void {
  const head = readHead(routed.request);
  const call = openCall(routed, "unknown_route", head);
  const work = async (): Promise<Reply> => {
    checkHost(routed, head.hosts);
    if (!isUnderV1(routed.request.url ?? "")) throw notFound();
    return serving.service.refuseUnknownRoute(head.authorization);
  };
  void answer(call, work, serving.surroundings);
}

/** Serves a page of the reference; a file that cannot be read is a 500 like any other. */
export function servePage(routed: RoutedRequest, page: ReferencePage, serving: Serving): void {
  const call = openCall(routed, "reference", readHead(routed.request));
  sendPage(routed.response, routed.requestId, page).catch((error: unknown) => {
    answerError(call, error, serving.surroundings);
  });
}

function openCall(routed: RoutedRequest, operation: string, head: RequestHead): Call {
  const { response, requestId } = routed;
  // An empty key is ignored. @spec limits
  const hasIdempotencyKey = head.idempotencyKeys.some((key) => key !== "");
  return { response, requestId, operation, hasIdempotencyKey, exchange: null };
}

function hasEmptyParam(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === "") return true;
  return false;
}

function isUnderV1(target: string): boolean {
  return /^\/v1(?:[/?#]|$)/.test(target);
}
