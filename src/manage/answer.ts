// Answers of the management server: JSON, text, and whatever was thrown as the envelope that /v1 has too. @spec errors
import type { ServerResponse } from "node:http";
import { Refusal } from "../contract/errors.ts";
import { ConnectionLost } from "../listener/body.ts";
import { endAnswer } from "../listener/end-answer.ts";
import { retryHeaders, toEnvelope, toRefusal } from "../listener/envelope.ts";
import type { Log } from "../ports/log.ts";

/** A request under way, as far as its answer needs it. */
export interface Call {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** For the log: an operation's name or what else was asked for. */
  readonly operation: string;
}

/** Sends JSON; `headers` are names and values in turn. */
export function sendJson(call: Call, status: number, content: unknown, headers: readonly string[] = []): void {
  sendText(call, status, "application/json; charset=utf-8", JSON.stringify(content), headers);
}

/** Sends a text. Nothing that is told here is kept by a browser or a proxy. */
export function sendText(
  { response, requestId }: Call,
  status: number,
  contentType: string,
  text: string,
  headers: readonly string[] = [],
): void {
  if (response.destroyed) return;
  response.writeHead(status, [
    "content-type",
    contentType,
    "content-length",
    String(Buffer.byteLength(text)),
    "cache-control",
    "no-store",
    "x-content-type-options",
    "nosniff",
    "x-request-id",
    requestId,
    ...headers,
  ]);
  endAnswer(response, text);
}

/** Sends the error answer for anything that was thrown. What is not a refusal is logged and told to nobody. */
export function answerError(call: Call, error: unknown, log: Log): void {
  if (error instanceof ConnectionLost) return;
  const refusal = toRefusal(error);
  const fields = { request_id: call.requestId, operation: call.operation, code: refusal.code };
  const behind = error instanceof Refusal ? error.cause : (error ?? String(error));
  if (refusal.status >= 500 && behind !== undefined) log.error("manage.request_failed", fields, behind);
  sendJson(call, refusal.status, toEnvelope(refusal), retryHeaders(refusal, { hasIdempotencyKey: false }));
}
