// Errors of this wire: responses other than 2xx, and error objects within a stream. @spec errors/failed-responses
import type { UpstreamError } from "../../ports/provider.ts";
import { createResponseError, type ErrorResponse } from "../wire/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { UpstreamFault } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";
import {
  classifyGoogleResponse,
  googleErrorInStream,
  type GoogleReport,
  readGoogleReport,
} from "../wire/google-errors.ts";

/** An account without credit is reported as a rate limit, told apart only by this sentence. Waiting does not help. */
const OUT_OF_CREDIT = /^Your prepayment credits are depleted/;

/** Reasons of a wrong key, which has status 400. */
const KEY_REASON = /^API_KEY_/;

/** The error of a response other than 2xx. */
export function errorOfResponse(response: ErrorResponse): UpstreamError {
  const report = readGoogleReport(parseJson(response.body));
  return createResponseError(response, classifyErrorResponse(response, report), report);
}

/** The error of an error object within a 2xx response. */
export function errorInStream(head: HttpHead, error: unknown): UpstreamError {
  return googleErrorInStream(head, readGoogleReport(error));
}

function classifyErrorResponse(response: ErrorResponse, report: GoogleReport): UpstreamFault {
  const { status } = response.head;
  // The operator's key, or restrictions of the operator's account.
  if (status === 400 && KEY_REASON.test(report.reason ?? "")) return "account_fault";
  if (status === 429 && OUT_OF_CREDIT.test(report.message ?? "")) return "account_fault";
  return classifyGoogleResponse(response, report);
}
