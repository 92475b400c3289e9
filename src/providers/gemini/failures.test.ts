import assert from "node:assert/strict";
import test from "node:test";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { UpstreamErrorCode } from "../wire/error-codes.ts";
import type { HttpHead } from "../wire/exchange.ts";
import { errorOfResponse, errorInStream } from "./failures.ts";

const KEY = "AIza-canary";
const MODEL = sampleModel({ id: "google/gemini-3.8-flash" });

const report = (code: number, status: string, message = "words", details: readonly unknown[] = []) =>
  JSON.stringify({ error: { code, message, status, details } });
const reject = (status: number, body: string, changes: Partial<HttpHead> = {}) =>
  errorOfResponse({
    head: sampleHead({ provider: "gemini", status, requestId: "r1", secrets: [KEY], ...changes }),
    body,
    model: MODEL,
  });
const errorInfo = (reason: string) => ({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason });

/** The rows of docs/wire.md (Failure codes) and docs/providers/gemini.md. */
const ROWS: readonly (readonly [status: number, body: string, code: UpstreamErrorCode, certainlyNotRun: boolean])[] = [
  [400, report(400, "INVALID_ARGUMENT"), "provider_client_error", false],
  [400, report(400, "INVALID_ARGUMENT", "no", [errorInfo("API_KEY_INVALID")]), "provider_unavailable", false],
  [400, report(400, "FAILED_PRECONDITION"), "provider_unavailable", false],
  [401, report(401, "UNAUTHENTICATED"), "provider_unavailable", false],
  [403, report(403, "PERMISSION_DENIED"), "provider_unavailable", false],
  [404, report(404, "NOT_FOUND"), "provider_unavailable", false],
  [413, "<html>too large</html>", "provider_client_error", false],
  [429, report(429, "RESOURCE_EXHAUSTED"), "provider_rate_limited", false],
  [429, report(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."), "provider_unavailable", false],
  [499, report(499, "CANCELLED"), "canceled", false],
  [500, report(500, "INTERNAL"), "provider_unavailable", false],
  [503, report(503, "UNAVAILABLE"), "provider_overloaded", true],
  [503, "no healthy upstream", "provider_unavailable", true],
  [504, report(504, "DEADLINE_EXCEEDED"), "provider_unavailable", false],
  [302, "", "provider_unavailable", false],
];

for (const [status, body, code, certainlyNotRun] of ROWS) {
  test(`${status} ${body.slice(0, 60)} is ${code}`, () => {
    const failure = reject(status, body);
    assert.deepEqual([failure.code, failure.certainlyNotRun], [code, certainlyNotRun]);
    assert.deepEqual([failure.provider, failure.status, failure.requestId], ["gemini", status, "r1"]);
  });
}

test("an error in an array is read like a bare one", () => {
  assert.equal(reject(503, `[${report(503, "UNAVAILABLE")}]`).code, "provider_overloaded");
});

test("the failure of a round's later request counts as having run", () => {
  assert.equal(reject(503, report(503, "UNAVAILABLE"), { hasRun: true }).certainlyNotRun, false);
});

test("Retry-After is RetryInfo's delay, rounded up, else the header's", () => {
  const retryInfo = (retryDelay: unknown) => [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
  const waitOf = (details: readonly unknown[], headers = {}) =>
    reject(429, report(429, "RESOURCE_EXHAUSTED", "m", details), { headers }).retryAfterSeconds;
  assert.equal(waitOf(retryInfo("34s")), 34);
  assert.equal(waitOf(retryInfo("34.4s")), 35);
  assert.equal(waitOf(retryInfo("34s"), { "retry-after": "5" }), 34);
  assert.equal(waitOf([], { "retry-after": "5" }), 5);
  for (const wrong of ["soon", 34, "-1s", null]) assert.equal(waitOf(retryInfo(wrong)), null);
});

test("the provider's message reaches a client only if it is about the request, and never with the key", () => {
  assert.equal(
    reject(400, report(400, "INVALID_ARGUMENT", `bad schema for ${KEY}`)).message,
    "The provider rejected the request: bad schema for [redacted]",
  );
  assert.ok(!reject(403, report(403, "PERMISSION_DENIED", "project 1234 is out")).message.includes("1234"));
  assert.equal(reject(404, "").message, "The provider does not know the model google/gemini-3.8-flash.");
});

test("the cause for the operator has error words and never the message", () => {
  const failure = reject(400, report(400, "INVALID_ARGUMENT", "prompt words", [errorInfo("BAD")]));
  assert.equal((failure.cause as Error).message, "provider error: status 400, INVALID_ARGUMENT, BAD");
});

const STREAM_ROWS: readonly (readonly [error: unknown, code: UpstreamErrorCode])[] = [
  [{ code: 503, status: "UNAVAILABLE" }, "provider_overloaded"],
  [{ code: 500, status: "INTERNAL" }, "provider_unavailable"],
  [{ code: 429, status: "RESOURCE_EXHAUSTED" }, "provider_rate_limited"],
  [{ code: 400, status: "INVALID_ARGUMENT", message: "m" }, "provider_client_error"],
  [{ code: 499, status: "CANCELLED" }, "canceled"],
  [{ code: 429 }, "provider_rate_limited"],
  [{ code: "429" }, "provider_rate_limited"],
  [{ message: "m" }, "provider_error"],
  ["text", "provider_error"],
  [7, "provider_error"],
];
for (const [error, code] of STREAM_ROWS) {
  test(`an error within a stream, ${JSON.stringify(error)}, is ${code} and ran`, () => {
    const failure = errorInStream(sampleHead(), { error });
    assert.deepEqual([failure.code, failure.certainlyNotRun], [code, false]);
  });
}
