// The answer to a request, and the one catch: whatever a flow throws becomes an envelope here. @spec errors
import type { ServerResponse } from "node:http";
import { Refusal } from "../contract/errors.ts";
import type { Exchange, Reply } from "../flows/exchange.ts";
import { ConnectionLost } from "../listener/body.ts";
import { endAnswer } from "../listener/end-answer.ts";
import { retryHeaders, toEnvelope, toRefusal } from "../listener/envelope.ts";
import type { LogFields } from "../ports/log.ts";
import { ProviderFailure } from "../ports/provider.ts";
import type { ObservedRequest, RequestEnd, RequestOperation } from "../ports/telemetry.ts";
import { rateHeaders } from "./rate-headers.ts";
import { type StreamSurroundings, sendStream } from "./sse.ts";

/** A request under way, as far as its answer needs it. */
export interface Call {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** For the log and the metrics. */
  readonly operation: RequestOperation;
  readonly observed: ObservedRequest;
  /** When its head had been read, on the monotonic clock. */
  readonly startedMs: number;
  readonly hasIdempotencyKey: boolean;
  /** Where the flow leaves what the answer and the log are to tell beside it; null until the head has been looked at. */
  exchange: Pick<Exchange, "allowance" | "responseId"> | null;
}

const JSON_CONTENT_TYPE = "application/json; charset=utf-8";

/** Does the work and sends what comes of it: a JSON object, a stream or an error. Never rejects. */
export async function answer(call: Call, work: () => Promise<Reply>, surroundings: StreamSurroundings): Promise<void> {
  try {
    const reply = await call.observed.during(work);
    if (reply.kind === "stream") {
      sendStream(call.response, reply, commonHeaders(call), {
        ...surroundings,
        requestId: call.requestId,
        onOver: () => endCall(call, { status: 200, code: null, isStream: true }, surroundings),
      });
    } else {
      sendJson(call, 200, reply.kind === "json" ? JSON.stringify(reply.body) : reply.text, []);
      endCall(call, { status: 200, code: null, isStream: false }, surroundings);
    }
  } catch (error) {
    answerError(call, error, surroundings);
  }
}

/** Sends the error answer for anything that was thrown. What is not a refusal is logged and told to nobody. */
export function answerError(call: Call, error: unknown, surroundings: StreamSurroundings): void {
  const { log } = surroundings;
  if (error instanceof ConnectionLost) {
    endCall(call, { status: null, code: null, isStream: false }, surroundings);
    return;
  }
  const refusal = toRefusal(error);
  // A refusal may say what is behind it; anything else is behind it itself.
  const behind = error instanceof Refusal ? error.cause : (error ?? String(error));
  const fields = {
    request_id: call.requestId,
    response_id: call.exchange?.responseId,
    operation: call.operation,
    code: refusal.code,
    ...providerOf(behind),
  };
  if (call.response.headersSent) {
    // Too late for a status: the client learns that something is wrong by the connection breaking off.
    log.error("answer.broken_off", fields, error);
    call.response.destroy();
    return;
  }
  if (refusal.status === 500 && behind !== undefined) log.error("request.failed", fields, behind);
  else if (refusal.status > 500 && behind !== undefined) log.warn("request.failed", fields, behind);
  sendJson(call, refusal.status, JSON.stringify(toEnvelope(refusal)), retryHeaders(refusal, call));
  endCall(call, { status: refusal.status, code: refusal.code, isStream: false }, surroundings);
}

/** Who failed, where a provider did: the request is found by its id, and the provider's own id is what its support asks for. */
function providerOf(behind: unknown): LogFields {
  if (!(behind instanceof ProviderFailure)) return {};
  return { provider: behind.provider, provider_status: behind.status, provider_request_id: behind.requestId };
}

/** Tells of the end of a request. Its line is for debugging: one a request costs too much to be written always. */
export function endCall(call: Call, end: RequestEnd, { log, clock }: StreamSurroundings): void {
  call.observed.ended(end);
  log.debug("request.answered", {
    request_id: call.requestId,
    response_id: call.exchange?.responseId,
    operation: call.operation,
    status: end.status,
    code: end.code,
    stream: end.isStream,
    duration_ms: Math.round(clock.monotonicMs() - call.startedMs),
  });
}

/** Headers of every answer, names and values in turn. */
function commonHeaders(call: Call): string[] {
  const headers = ["x-request-id", call.requestId];
  const allowance = call.exchange?.allowance ?? null;
  if (allowance !== null) headers.push(...rateHeaders(allowance));
  return headers;
}

/** One write with headers and body; Fastify's `send` costs more and adds nothing that is wanted here. */
function sendJson(call: Call, status: number, body: string, extraHeaders: readonly string[]): void {
  const { response } = call;
  if (response.destroyed) return;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, [
    "content-type",
    JSON_CONTENT_TYPE,
    "content-length",
    length,
    ...commonHeaders(call),
    ...extraHeaders,
  ]);
  endAnswer(response, body);
}
