// The common form of all HTTP errors, checked on each one in a test. @spec errors
import assert from "node:assert/strict";
import type { Reply } from "./http-client.ts";

/** Codes whose reply always has Retry-After; of the others only provider_rate_limited may have it. */
const WITH_RETRY_AFTER = new Set([
  "auth_unavailable",
  "rate_limit_exceeded",
  "stream_limit_exceeded",
  "gateway_overloaded",
  "database_unavailable",
  "idempotency_in_progress",
]);

const TYPE_OF_STATUS: Readonly<Record<number, string>> = {
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "api_error",
  502: "api_error",
  503: "overloaded_error",
  504: "api_error",
};

export interface Expected {
  readonly status: number;
  readonly code: string;
  readonly param?: string | null;
  readonly message?: RegExp;
}

/** Asserts an error with this status and code in the envelope; `param` is null by default. */
export function assertApiError(answer: Reply, expected: Expected): void {
  const { status, code, param = null, message = /./ } = expected;
  const seen = { status: answer.status, code: answer.json?.error?.code, param: answer.json?.error?.param };
  assert.deepEqual(seen, { status, code, param }, answer.text);
  assertEnvelope(answer);
  assert.match(answer.json.error.message, message);
}

/** Asserts that a reply is an error in the envelope, with its headers, whatever its code. */
export function assertEnvelope(answer: Reply): void {
  const { status, headers, json, text } = answer;
  assert.ok(status >= 400, `not an error: ${status} ${text}`);
  assert.deepEqual(Object.keys(json), ["error"], text);
  assert.deepEqual(Object.keys(json.error), ["message", "type", "param", "code"], text);
  const { code, type, message } = json.error;
  assert.equal(type, code === "insufficient_quota" ? code : (TYPE_OF_STATUS[status] ?? "invalid_request_error"), text);
  assert.ok(typeof message === "string" && message.length > 0, text);
  assert.match(headers["x-request-id"] ?? "", /./);
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  const retryAfter = headers["retry-after"];
  if (WITH_RETRY_AFTER.has(code)) assert.match(retryAfter ?? "", /^([1-9]|[1-5][0-9]|60)$/, `${code} has Retry-After`);
  else if (code !== "provider_rate_limited") assert.equal(retryAfter, undefined, `${code} has no Retry-After`);
}
