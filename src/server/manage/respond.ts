// Responses of the management server; errors have the same envelope as under /v1. @spec errors
import { ConnectionLost } from "../shared/body.ts";
import { causeOf, retryHeaders, toEnvelope, toApiError } from "../shared/envelope.ts";
import { sendJson, type Unanswered } from "../shared/send.ts";
import type { Log } from "../../ports/log.ts";

/** A request without its response, as far as the response needs it. */
export interface OpenRequest extends Unanswered {
  /** For the log: the operation, or the class of any other request. */
  readonly operation: string;
}

/** Sends the error response for anything thrown. The details of an unexpected error are logged, not sent. */
export function respondError(open: OpenRequest, error: unknown, log: Log): void {
  if (error instanceof ConnectionLost) return;
  const apiError = toApiError(error);
  const cause = causeOf(error);
  const fields = { request_id: open.requestId, operation: open.operation, code: apiError.code };
  if (apiError.status >= 500 && cause !== undefined) log.error("manage.request_failed", fields, cause);
  const headers = retryHeaders(apiError, { hasIdempotencyKey: false });
  sendJson(open, apiError.status, JSON.stringify(toEnvelope(apiError)), headers);
}
