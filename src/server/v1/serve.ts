// Serves one routed request of the /v1 server: calls its flow and sends the reply.
import type { ServerResponse } from "node:http";
import type { ApiError } from "../../contract/errors.ts";
import type { Route } from "../../contract/routes.ts";
import type { RequestContext, Reply } from "../../flows/request-context.ts";
import { unknownPath } from "../../flows/unknown-route.ts";
import { type OpenRequest, reportEnd, respond, respondError, whenClosed } from "./respond.ts";
import { readPlainBody } from "../shared/body.ts";
import { BodyReservation, SMALL_BYTES } from "../shared/body-capacity.ts";
import { ReplyReservation } from "../shared/reply-reservation.ts";
import { type ReferencePage, sendPage } from "../shared/reference.ts";
import { readHead, readQuery } from "../shared/request-head.ts";
import type { RoutedRequest } from "../shared/router.ts";
import type { RequestOperation } from "../../ports/telemetry.ts";
import type { ServerContext } from "./server-context.ts";

/** Matches as the router does: a target may be a whole URL, and any of its characters encoded. */
const UNDER_V1 = /^(?:https?:\/\/[^/?#]*)?\/(?:v|%76)(?:1|%31)(?:[/?#]|$)/;

/** No body is read before its caller is known. */
const NO_CALLER = { organizationId: "", keyId: "" };

/** Whether a request target is below /v1. */
export function isUnderV1(target: string): boolean {
  return UNDER_V1.test(target);
}

/** Serves a request for an operation by its flow. */
export function serveOperation(routed: RoutedRequest, route: Route, server: ServerContext): void {
  const { service } = server;
  const open = openRequest(server, routed, route.operation, `/v1${route.path}`);
  const { head } = open;
  const reservation = new BodyReservation(server.bodyCapacity, () => open.context?.caller ?? NO_CALLER);
  const replies = new ReplyReservation(server.replyCapacity, open.response);
  const work = async (): Promise<Reply> => {
    // The router matches `/responses//cancel` with an empty id; it is an unknown path.
    if (hasEmptyParam(routed.params)) {
      return service.rejectUnknownRoute(head.authorization, routed.request.url ?? "");
    }
    if (route.body !== null) service.assertCapacity(route.operation);
    const context: RequestContext = {
      operation: route.operation,
      authorization: head.authorization,
      idempotencyKeys: head.idempotencyKeys,
      params: routed.params,
      query: readQuery(routed.request.url ?? ""),
      // Not called by a route without a body: Node discards what was sent.
      readBody: () => readPlainBody(routed.request, head, { bytesMax: server.bodyBytesMax, reservation }),
      keepRoom(end, bytes) {
        open.hasRoom = true;
        // The reply repeats parts of a long body.
        const isLong = bytes > SMALL_BYTES;
        reservation.keepUntil(isLong ? Promise.allSettled([end, closed(open.response)]) : end, bytes);
      },
      takeRoom(bytes) {
        if (context.caller === null) throw new Error("a reply takes room before its caller is known");
        replies.take(context.caller, bytes);
        open.hasRoom = true;
      },
      isConnected: () => !routed.response.closed && !routed.response.destroyed,
      allowance: null,
      caller: null,
      responseId: undefined,
    };
    open.context = context;
    try {
      return await service.serve(context);
    } finally {
      reservation.release();
    }
  };
  void respond(open, work, server);
}

/** Serves a request for an unknown path; under /v1 authentication comes first. @spec what-the-service-does */
export function serveUnknownPath(routed: RoutedRequest, server: ServerContext): void {
  const open = openRequest(server, routed, "unknown_route");
  const work = async (): Promise<Reply> => {
    const target = routed.request.url ?? "";
    if (!isUnderV1(target)) throw unknownPath(target);
    return server.service.rejectUnknownRoute(open.head.authorization, target);
  };
  void respond(open, work, server);
}

/** Serves a page of the reference; a file that cannot be read is a 500. */
export function servePage(routed: RoutedRequest, page: ReferencePage, server: ServerContext): void {
  const open = openRequest(server, routed, "reference", page.path);
  sendPage(routed, page).then(
    () => reportEnd(open, { status: routed.response.statusCode, code: null, isStream: false }, server),
    (error: unknown) => respondError(open, error, server),
  );
}

/** Sends the error for a request that is rejected before any handler. */
export function rejectUnread(unread: Omit<RoutedRequest, "params">, error: ApiError, server: ServerContext): void {
  respondError(openRequest(server, unread, "unread"), error, server);
}

/** Reads the head of a request; `route` is the route pattern, null when none matched. */
function openRequest(
  { telemetry, clock }: ServerContext,
  { request, response, requestId, unread }: Omit<RoutedRequest, "params">,
  operation: RequestOperation,
  route: string | null = null,
): OpenRequest {
  const head = readHead(request);
  return {
    response,
    requestId,
    unread,
    hasRoom: false,
    head,
    operation,
    observed: telemetry.requestStarted({ operation, route, request }),
    startedMs: clock.monotonicMs(),
    // An empty key is ignored. @spec limits
    hasIdempotencyKey: head.idempotencyKeys.some((key) => key !== ""),
    context: null,
  };
}

/** Resolves when the response is sent or its client is gone. */
function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => whenClosed(response, resolve));
}

function hasEmptyParam(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === "") return true;
  return false;
}
