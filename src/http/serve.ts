// One routed request to its flow and back: what every request under /v1 goes through.
import { notFound, type Refusal } from "../contract/errors.ts";
import type { ROUTES } from "../contract/routes.ts";
import type { Exchange, Reply } from "../flows/exchange.ts";
import { answer, answerError, type Call, endCall } from "./answer.ts";
import { readPlainBody } from "../listener/body.ts";
import { checkHost } from "../listener/node-server.ts";
import type { Service } from "./operations.ts";
import { type ReferencePage, sendPage } from "../listener/reference.ts";
import { type RequestHead, readHead, readQuery } from "../listener/request-head.ts";
import type { RoutedRequest } from "../listener/router.ts";
import type { RequestOperation, Telemetry } from "../ports/telemetry.ts";
import type { StreamSurroundings } from "./sse.ts";

/** What serving needs besides the request. */
export interface Serving {
  readonly service: Service;
  readonly bodyBytesMax: number;
  readonly surroundings: StreamSurroundings;
  readonly telemetry: Telemetry;
}

type ServedRoute = (typeof ROUTES)[number];

/** As the router reads it: a target may be a whole URL, and any character of it encoded. */
const UNDER_V1 = /^(?:https?:\/\/[^/?#]*)?\/(?:v|%76)(?:1|%31)(?:[/?#]|$)/;

/** Serves a request for an operation: it becomes an exchange, which its flow answers. */
export function serveOperation(routed: RoutedRequest, route: ServedRoute, serving: Serving): void {
  const { service } = serving;
  const head = readHead(routed.request);
  const call = openCall(serving, routed, head, route.operation, `/v1${route.path}`);
  const work = async (): Promise<Reply> => {
    checkHost(routed, head.hosts);
    // The router takes `/responses//cancel` for a path with an empty id; it is another path.
    if (hasEmptyParam(routed.params)) return service.refuseUnknownRoute(head.authorization);
    if (route.body !== null) service.refuseUnread(route.operation);
    const exchange: Exchange = {
      operation: route.operation,
      authorization: head.authorization,
      idempotencyKeys: head.idempotencyKeys,
      params: routed.params,
      query: readQuery(routed.request.url ?? ""),
      // Of a route that reads none it is never asked for: Node discards what was sent.
      readBody: () => readPlainBody(routed.request, head, serving.bodyBytesMax),
      allowance: null,
      responseId: undefined,
    };
    call.exchange = exchange;
    return service.serve(exchange);
  };
  void answer(call, work, serving.surroundings);
}

/** Serves a request for a path that no route has: inside /v1 its bearer is looked at first. @spec what-the-service-does */
export function serveUnknownPath(routed: RoutedRequest, serving: Serving): void {
  const head = readHead(routed.request);
  const call = openCall(serving, routed, head, "unknown_route", null);
  const work = async (): Promise<Reply> => {
    checkHost(routed, head.hosts);
    if (!UNDER_V1.test(routed.request.url ?? "")) throw notFound();
    return serving.service.refuseUnknownRoute(head.authorization);
  };
  void answer(call, work, serving.surroundings);
}

/** Serves a page of the reference; a file that cannot be read is a 500 like any other. */
export function servePage(routed: RoutedRequest, page: ReferencePage, serving: Serving): void {
  const { response, requestId } = routed;
  const call = openCall(serving, routed, readHead(routed.request), "reference", page.path);
  sendPage(response, requestId, page).then(
    () => endCall(call, { status: response.statusCode, code: null, isStream: false }, serving.surroundings),
    (error: unknown) => answerError(call, error, serving.surroundings),
  );
}

/** Answers a request that nobody will read with the refusal that it met. */
export function answerUnread(
  { response, requestId }: Pick<RoutedRequest, "response" | "requestId">,
  refusal: Refusal,
  serving: Serving,
): void {
  const { req: request } = response;
  const call = openCall(serving, { request, response, requestId }, readHead(request), "unread", null);
  answerError(call, refusal, serving.surroundings);
}

function openCall(
  { telemetry, surroundings }: Serving,
  { request, response, requestId }: Omit<RoutedRequest, "params">,
  head: RequestHead,
  operation: RequestOperation,
  route: string | null,
): Call {
  return {
    response,
    requestId,
    operation,
    observed: telemetry.requestStarted({ operation, route, request }),
    startedMs: surroundings.clock.monotonicMs(),
    // An empty key is ignored. @spec limits
    hasIdempotencyKey: head.idempotencyKeys.some((key) => key !== ""),
    exchange: null,
  };
}

function hasEmptyParam(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === "") return true;
  return false;
}
