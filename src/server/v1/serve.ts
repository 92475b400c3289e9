// Serves the operations of /v1: a routed request becomes the context of its flow, and the flow's reply that of HTTP.
import type { ServerResponse } from "node:http";
import type { FairCapacity } from "../../base/fair-capacity.ts";
import type { Route } from "../../contract/routes.ts";
import type { AllowanceReport, Reply, RequestContext } from "../../flows/request-context.ts";
import type { RequestOperation, Telemetry } from "../../ports/telemetry.ts";
import { BodyReservation, SMALL_BYTES } from "../shared/body-capacity.ts";
import { ReplyReservation } from "../shared/reply-reservation.ts";
import { readQuery } from "../shared/request-head.ts";
import type { RoutedRequest } from "../shared/http-server.ts";
import { jsonBody } from "../shared/send.ts";
import { type HttpReply, type OpenRequest, type Requested, serve, type ServerContext } from "../shared/serve.ts";
import type { V1Flows } from "./operations.ts";
import { sendStream } from "./sse.ts";

/** The parts and limits of the /v1 server. */
export interface V1Context extends ServerContext {
  readonly flows: V1Flows;
  readonly telemetry: Telemetry;
  /** Bytes of long replies that are being read or sent. */
  readonly replyCapacity: FairCapacity;
  /** A stream sends a comment after this many milliseconds without a frame. */
  readonly keepAliveMs: number;
}

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;

/** Serves a request for an operation by its flow. */
export function serveV1Operation(routed: RoutedRequest, route: Route, server: V1Context): void {
  const { flows } = server;
  const requested = observe(server, routed, route.operation, `/v1${route.path}`);
  serve(routed, requested, server, async (open, { reservation, read }) => {
    if (route.body !== null) flows.assertCapacity(route.operation);
    let replies: ReplyReservation | null = null;
    const context: RequestContext = {
      operation: route.operation,
      requestId: open.requestId,
      authorization: open.head.authorization,
      idempotencyKeys: open.head.idempotencyKeys,
      params: routed.params,
      query: readQuery(routed.request.url ?? ""),
      // Not called by a route without a body.
      readBody: read,
      keepBodyReserved(end, bytes) {
        open.isReserved = true;
        // The reply repeats parts of a long body.
        const isLong = bytes > SMALL_BYTES;
        reservation.keepUntil(isLong ? Promise.allSettled([end, closed(open.response)]) : end, bytes);
      },
      openBodyReservation: () => new BodyReservation(server.bodyCapacity, () => server.ownerOf(open)),
      reserveReply(bytes) {
        if (context.caller === null) throw new Error("a reply is reserved before its caller is known");
        replies ??= new ReplyReservation(server.replyCapacity, open.response);
        replies.growTo(context.caller, bytes);
        open.isReserved = true;
      },
      isConnected: () => !routed.response.closed && !routed.response.destroyed,
      allowance: null,
      caller: null,
      model: null,
      responseId: undefined,
    };
    open.context = context;
    return httpReplyOf(await flows.serve(context), open, server);
  });
}

/** Begins to observe a request; `route` is its route's pattern, null when none matched. */
export function observe(
  { telemetry }: Pick<V1Context, "telemetry">,
  { request }: Pick<RoutedRequest, "request">,
  operation: RequestOperation,
  route: string | null = null,
): Requested {
  return { operation, observed: telemetry.requestStarted({ operation, route, request }) };
}

/** A flow's reply: JSON, or a stream of events. */
function httpReplyOf(reply: Reply, open: OpenRequest, { clock, log, keepAliveMs }: V1Context): HttpReply {
  const { response, requestId } = open;
  if (reply.onSent !== undefined) whenClosed(response, reply.onSent);
  if (reply.kind === "json") return jsonBody(200, JSON.stringify(reply.body));
  if (reply.kind === "json_text") return jsonBody(200, reply.pieces);
  return {
    stream: (onOver) =>
      sendStream(response, reply, allowanceHeaders(open), { clock, log, keepAliveMs, requestId, onOver }),
  };
}

/** Calls the listener once the response is sent or its client is gone. */
function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed || response.destroyed) listener();
  else response.once("close", listener);
}

/** Resolves when the response is sent or its client is gone. */
function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => whenClosed(response, resolve));
}

/** The headers of a rate-limited route, once its request has been counted. */
export function allowanceHeaders({ context }: OpenRequest): readonly string[] {
  const allowance = context?.allowance ?? null;
  return allowance === null ? [] : rateHeaders(allowance);
}

/** The `x-ratelimit-*` headers, names and values in turn, as clients know them (docs/wire.md, Objects). */
export function rateHeaders(allowance: AllowanceReport): string[] {
  return [
    "x-ratelimit-limit-requests",
    String(allowance.limit),
    "x-ratelimit-remaining-requests",
    String(allowance.remaining),
    "x-ratelimit-reset-requests",
    formatDuration(allowance.resetMs),
  ];
}

/** Formats a duration as `12ms`, `1s` or `6m0s`; rounded up, so that the allowance is whole when it is over. */
export function formatDuration(milliseconds: number): string {
  const wholeMs = Math.max(0, Math.ceil(milliseconds));
  if (wholeMs < SECOND_MS) return `${wholeMs}ms`;
  const seconds = Math.ceil(wholeMs / SECOND_MS);
  if (seconds < MINUTE_SECONDS) return `${seconds}s`;
  return `${Math.floor(seconds / MINUTE_SECONDS)}m${seconds % MINUTE_SECONDS}s`;
}
