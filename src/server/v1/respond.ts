// Sends the response to a request. Everything that a flow throws is caught here and becomes an error envelope.
// @spec errors
import type { ServerResponse } from "node:http";
import type { RequestContext, Reply } from "../../flows/request-context.ts";
import { ConnectionLost } from "../shared/body.ts";
import { causeOf, retryHeaders, toEnvelope, toApiError } from "../shared/envelope.ts";
import type { RequestHead } from "../shared/request-head.ts";
import { sendJson, type Unanswered } from "../shared/send.ts";
import type { LogFields } from "../../ports/log.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { ObservedRequest, RequestEnd, RequestOperation } from "../../ports/telemetry.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { ServerContext } from "./server-context.ts";
import { sendStream } from "./sse.ts";

/** A request without its response, as far as the response needs it. */
export interface OpenRequest extends Unanswered {
  hasRoom: boolean;
  readonly head: RequestHead;
  /** For the log and the metrics. */
  readonly operation: RequestOperation;
  readonly observed: ObservedRequest;
  /** When its head had been read, by the monotonic clock. */
  readonly startedMs: number;
  readonly hasIdempotencyKey: boolean;
  /** The request as the flow sees it, with the facts that the flow adds; null until the flow is called. */
  context: Pick<RequestContext, "operation" | "allowance" | "responseId" | "caller"> | null;
}

/** Runs the work and sends its reply (a JSON object or a stream) or its error. Never rejects. */
export async function respond(open: OpenRequest, work: () => Promise<Reply>, server: ServerContext): Promise<void> {
  const { clock, log, keepAliveMs } = server;
  try {
    const reply = await open.observed.during(work);
    if (reply.onSent !== undefined) whenClosed(open.response, reply.onSent);
    if (reply.kind === "stream") {
      sendStream(open.response, reply, allowanceHeaders(open), {
        clock,
        log,
        keepAliveMs,
        requestId: open.requestId,
        onOver: () => reportEnd(open, { status: 200, code: null, isStream: true }, server),
      });
    } else {
      sendJson(open, 200, reply.kind === "json" ? JSON.stringify(reply.body) : reply.pieces, allowanceHeaders(open));
      reportEnd(open, { status: 200, code: null, isStream: false }, server);
    }
  } catch (error) {
    respondError(open, error, server);
  }
}

/** Calls the listener once the response is sent or its client is gone. */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.closed || response.destroyed) listener();
  else response.once("close", listener);
}

/** Sends the error response for anything thrown. The details of an unexpected error are logged, not sent. */
export function respondError(open: OpenRequest, error: unknown, server: ServerContext): void {
  const { service, log } = server;
  if (error instanceof ConnectionLost) {
    reportEnd(open, { status: null, code: null, isStream: false }, server);
    return;
  }
  const apiError = toApiError(error);
  const cause = causeOf(error);
  const fields = {
    request_id: open.requestId,
    response_id: open.context?.responseId,
    operation: open.operation,
    code: apiError.code,
    ...providerOf(cause),
  };
  if (open.response.headersSent) {
    // Too late for a status: the client notices the error by the closed connection.
    log.error("answer.broken_off", fields, error);
    open.response.destroy();
    return;
  }
  if (apiError.status === 500 && cause !== undefined) log.error("request.failed", fields, cause);
  else if (apiError.status > 500 && cause !== undefined) log.warn("request.failed", fields, cause);
  if (open.context !== null) {
    const { operation, caller } = open.context;
    service.keepRejection({ requestId: open.requestId, operation, caller }, apiError);
  }
  const headers = [...allowanceHeaders(open), ...retryHeaders(apiError, open)];
  if (apiError.status === 401) headers.push("www-authenticate", "Bearer");
  sendJson(open, apiError.status, JSON.stringify(toEnvelope(apiError)), headers);
  reportEnd(open, { status: apiError.status, code: apiError.code, isStream: false }, server);
}

/** The provider that failed, if one did, and its request id, which its support asks for. */
function providerOf(cause: unknown): LogFields {
  if (!(cause instanceof UpstreamError)) return {};
  return { provider: cause.provider, provider_status: cause.status, provider_request_id: cause.requestId };
}

/** Reports the end of a request. The log line is at debug level: writing one for every request costs too much. */
export function reportEnd(open: OpenRequest, end: RequestEnd, { log, clock }: ServerContext): void {
  open.observed.ended(end);
  log.debug("request.answered", {
    request_id: open.requestId,
    response_id: open.context?.responseId,
    operation: open.operation,
    status: end.status,
    code: end.code,
    stream: end.isStream,
    duration_ms: Math.round(clock.monotonicMs() - open.startedMs),
  });
}

/** The headers of a rate-limited route, once its request has been counted. */
function allowanceHeaders({ context }: OpenRequest): readonly string[] {
  const allowance = context?.allowance ?? null;
  return allowance === null ? [] : rateHeaders(allowance);
}
