// Serves a routed request of either interface: opens it, does its work, sends the reply. Everything that the work throws
// is caught here and becomes an error envelope. @spec errors
import type { ApiError } from "../../contract/errors.ts";
import type { RequestContext } from "../../flows/request-context.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log, LogFields } from "../../ports/log.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { ObservedRequest, RequestEnd } from "../../ports/telemetry.ts";
import { ConnectionLost, readPlainBody } from "./body.ts";
import { type BodyCapacity, BodyReservation } from "./body-capacity.ts";
import { causeOf, retryHeaders, toApiError, toEnvelope } from "./envelope.ts";
import { type RequestHead, readHead } from "./request-head.ts";
import type { RoutedRequest } from "./http-server.ts";
import { type CompleteBody, type HeaderList, sendBody, sendJson, type PendingReply } from "./send.ts";

/** Everything that serving a request needs besides the request, and where the interfaces differ. */
export interface ServerContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly bodyCapacity: BodyCapacity;
  readonly bodyBytesMax: number;
  /** Whose share of the capacity a body takes. */
  readonly ownerOf: (open: OpenRequest) => { readonly organizationId: string; readonly keyId: string };
  /** Throws the error for an unknown path. */
  readonly rejectUnknown: (open: OpenRequest) => Promise<HttpReply>;
  /** Headers of every reply, error or not, names and values in turn. */
  readonly headersOf: (open: OpenRequest) => HeaderList;
  /** Headers of a 401. */
  readonly challenge: HeaderList;
  /** Logs the cause of an error response of 500 or more. */
  readonly logFailure: (status: number, fields: LogFields, cause: unknown) => void;
  /** Called for each error that a flow has replied with. */
  readonly onRejected: (open: OpenRequest, error: ApiError) => void;
}

/** A request without its response. */
export interface OpenRequest extends PendingReply {
  readonly request: RoutedRequest["request"];
  isReserved: boolean;
  readonly head: RequestHead;
  readonly operation: string;
  readonly observed: ObservedRequest;
  /** When its head had been read, by the monotonic clock. */
  readonly startedMs: number;
  /** The request as a flow of /v1 sees it, with the facts that the flow adds; null until the flow is called. */
  context: Pick<RequestContext, "operation" | "allowance" | "responseId" | "caller" | "model"> | null;
}

/** What a request is replied with: a body, or what sends itself with status 200 and tells when that is over. */
export type HttpReply = CompleteBody | { readonly stream: (onOver: () => void) => void };

/** The body of a request, for the work that wants it. */
export interface RequestBody {
  readonly reservation: BodyReservation;
  /** Reads it, see {@link readPlainBody}. Without this call Node discards what was sent. */
  read(): Promise<Uint8Array>;
}

/** What was requested: an operation, or the class of any other request. */
export interface Requested {
  readonly operation: string;
  readonly observed: ObservedRequest;
}

/** Serves a request by its work, which throws anything that is not an {@link HttpReply}. */
export function serve(
  routed: RoutedRequest,
  requested: Requested,
  server: ServerContext,
  work: (open: OpenRequest, body: RequestBody) => Promise<HttpReply>,
): void {
  const open = openRequest(server, routed, requested);
  const { bodyBytesMax: bytesMax, bodyCapacity } = server;
  const reservation = new BodyReservation(bodyCapacity, () => server.ownerOf(open));
  const read = () => readPlainBody(routed.request, open.head, { bytesMax, reservation });
  const serveOpen = async (): Promise<HttpReply> => {
    // The router matches `/responses//cancel` with an empty id; it is an unknown path.
    if (hasEmptyParam(routed.params)) return server.rejectUnknown(open);
    try {
      return await work(open, { reservation, read });
    } finally {
      reservation.release();
    }
  };
  void respond(open, serveOpen, server);
}

/** Sends the error for a request that is rejected before any handler. */
export function rejectUnrouted(
  request: Omit<RoutedRequest, "params">,
  requested: Requested,
  error: ApiError,
  server: ServerContext,
): void {
  respondError(openRequest(server, request, requested), error, server);
}

function openRequest(
  { clock }: ServerContext,
  { request, response, requestId, unread }: Omit<RoutedRequest, "params">,
  { operation, observed }: Requested,
): OpenRequest {
  return {
    request,
    response,
    requestId,
    unread,
    isReserved: false,
    head: readHead(request),
    operation,
    observed,
    startedMs: clock.monotonicMs(),
    context: null,
  };
}

/** Does the work and sends its reply or its error. Never rejects. */
async function respond(open: OpenRequest, work: () => Promise<HttpReply>, server: ServerContext): Promise<void> {
  try {
    const reply = await open.observed.during(work);
    if ("stream" in reply) {
      reply.stream(() => reportEnd(open, { status: 200, code: null, isStream: true }, server));
      return;
    }
    const { status, contentType, body, headers = [] } = reply;
    sendBody(open, { status, contentType, body, headers: [...headers, ...server.headersOf(open)] });
    reportEnd(open, { status, code: null, isStream: false }, server);
  } catch (error) {
    respondError(open, error, server);
  }
}

/** Sends the error response for anything thrown. The details of an unexpected error are logged, not sent. */
function respondError(open: OpenRequest, error: unknown, server: ServerContext): void {
  if (error instanceof ConnectionLost) {
    reportEnd(open, { status: null, code: null, isStream: false }, server);
    return;
  }
  const apiError = toApiError(error);
  const { status, code } = apiError;
  const cause = causeOf(error);
  const fields = {
    request_id: open.requestId,
    response_id: open.context?.responseId,
    operation: open.operation,
    code,
    ...providerOf(cause),
  };
  if (open.response.headersSent) {
    // Too late for a status: the client notices the error by the closed connection.
    server.log.error("answer.broken_off", fields, error);
    open.response.destroy();
    return;
  }
  if (status >= 500 && cause !== undefined) server.logFailure(status, fields, cause);
  server.onRejected(open, apiError);
  // An empty key is ignored. @spec limits
  const hasIdempotencyKey = open.head.idempotencyKeys.some((key) => key !== "");
  const headers = [...server.headersOf(open), ...retryHeaders(apiError, { hasIdempotencyKey })];
  if (status === 401) headers.push(...server.challenge);
  sendJson(open, status, JSON.stringify(toEnvelope(apiError)), headers);
  reportEnd(open, { status, code, isStream: false, organizationId: open.context?.caller?.organizationId }, server);
}

/** The provider that failed, if one did, and its request id, which its support asks for. */
function providerOf(cause: unknown): LogFields {
  if (!(cause instanceof UpstreamError)) return {};
  return { provider: cause.provider, provider_status: cause.status, provider_request_id: cause.requestId };
}

/** Reports the end of a request. The log line is at debug level: writing one for every request costs too much. */
function reportEnd(open: OpenRequest, end: RequestEnd, { log, clock }: Pick<ServerContext, "log" | "clock">): void {
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

function hasEmptyParam(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === "") return true;
  return false;
}
