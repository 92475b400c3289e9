import assert from "node:assert/strict";
import test from "node:test";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { ResponseHeaders } from "../wire/response-headers.ts";
import type { UpstreamErrorCode } from "../wire/error-codes.ts";
import { readErrorReport, errorOfResponse, errorInStream } from "./failures.ts";

const KEY = "sk-secret";
/** As LM Studio says it, without a code. */
const TOO_LONG = "The number of tokens to keep from the initial prompt is greater than the context length.";
const headOf = (status: number, headers: ResponseHeaders = {}) =>
  sampleHead({ provider: "local", status, headers, secrets: [KEY] });
const rejected = (status: number, body: unknown, headers?: ResponseHeaders) =>
  errorOfResponse({
    head: headOf(status, headers),
    body: typeof body === "string" ? body : JSON.stringify(body),
    model: sampleModel(),
  });
const failedMidstream = (error: unknown) => errorInStream(headOf(200), error);

test("each error response has its failure", () => {
  const rows: [number, unknown, UpstreamErrorCode, boolean][] = [
    [400, { error: { message: "bad" } }, "provider_client_error", false],
    [413, "too large", "provider_client_error", false],
    [422, { detail: [{ loc: ["body"], msg: "field required" }] }, "provider_client_error", false],
    [401, { error: { message: `Incorrect API key ${KEY}` } }, "provider_unavailable", false],
    [403, "", "provider_unavailable", false],
    [404, { error: { code: "model_not_found" } }, "provider_unavailable", false],
    [400, { error: { code: "model_not_found" } }, "provider_unavailable", false],
    [400, { error: { code: "invalid_api_key" } }, "provider_unavailable", false],
    [429, { error: { code: "rate_limit_exceeded" } }, "provider_rate_limited", false],
    [429, { error: { code: "insufficient_quota", type: "insufficient_quota" } }, "provider_unavailable", false],
    [403, { error: { code: "identifier_blocked" } }, "end_user_blocked", false],
    [500, { error: { message: "oops", type: "server_error" } }, "provider_unavailable", false],
    [502, "<html>Bad Gateway</html>", "provider_unavailable", false],
    [503, { error: { message: "Loading model", type: "unavailable_error", code: 503 } }, "provider_unavailable", true],
    [503, { error: { message: "The engine is currently overloaded." } }, "provider_overloaded", true],
    [503, { error: { type: "slow_down" } }, "provider_overloaded", true],
    [504, "", "provider_unavailable", false],
    [529, { error: { type: "overloaded_error" } }, "provider_overloaded", false],
    [302, "", "provider_unavailable", false],
  ];
  for (const [status, body, code, certainlyNotRun] of rows) {
    const failure = rejected(status, body);
    assert.deepEqual(
      [failure.code, failure.certainlyNotRun],
      [code, certainlyNotRun],
      `${status} ${JSON.stringify(body)}`,
    );
    assert.deepEqual([failure.provider, failure.status, failure.requestId], ["local", status, "req_1"]);
  }
});

test("a message never decides the code: an echo of the prompt cannot choose the failure", () => {
  assert.equal(
    rejected(400, { error: { message: "insufficient_quota identifier_blocked overloaded" } }).code,
    "provider_client_error",
  );
  assert.equal(rejected(500, { error: { message: "overloaded" } }).code, "provider_unavailable");
});

test("the provider's message reaches a client only if it is about the request, and never with the key", () => {
  const rows: [number, unknown, string][] = [
    [400, { error: { message: `bad ${KEY}\n\u0007here` } }, "The provider rejected the request: bad [redacted] here"],
    [400, { error: "just a text" }, "The provider rejected the request: just a text"],
    [400, { message: "top level" }, "The provider rejected the request: top level"],
    [400, { detail: "fast" }, "The provider rejected the request: fast"],
    [400, [{ error: { message: "in an array" } }], "The provider rejected the request: in an array"],
    [400, "plain text", "The provider rejected the request: plain text"],
    [400, "<html>no</html>", "The provider rejected the request."],
    [400, "", "The provider rejected the request."],
    [401, { error: { message: "Incorrect API key in org-123" } }, "The provider did not complete the request."],
    [404, "", "The provider does not know the model local/llama."],
    [429, { error: { message: "org-123 is limited" } }, "The provider limits the rate of requests."],
  ];
  for (const [status, body, message] of rows) assert.equal(rejected(status, body).message, message);
});

test("a rate limit and a 503 have their Retry-After, and no other status", () => {
  assert.equal(rejected(429, "", { "retry-after": "7" }).retryAfterSeconds, 7);
  assert.equal(rejected(429, "").retryAfterSeconds, null);
  assert.equal(rejected(503, "", { "retry-after": "7" }).retryAfterSeconds, 7);
  assert.equal(rejected(502, "", { "retry-after": "7" }).retryAfterSeconds, null);
});

test("an error within a stream is mapped by its words, then by its status, and the round ran", () => {
  const rows: [unknown, UpstreamErrorCode][] = [
    [{ error: { message: "m", code: "rate_limit_exceeded" } }, "provider_rate_limited"],
    [{ error: { message: "m", type: "overloaded_error" } }, "provider_overloaded"],
    [{ error: { message: "m", type: "BadRequestError", code: 400 } }, "provider_client_error"],
    [{ error: { message: "m", code: 500 } }, "provider_unavailable"],
    [{ error: { message: "m", code: "429" } }, "provider_rate_limited"],
    [{ object: "error", message: "m", type: "InternalServerError", code: 500 }, "provider_unavailable"],
    [{ error: { message: "m", type: "server_error" } }, "provider_unavailable"],
    [{ error: { message: "m", code: "insufficient_quota" } }, "provider_unavailable"],
    [{ message: "m", code: 429 }, "provider_rate_limited"],
    [{ error: { message: "m" } }, "provider_error"],
    [{ error: { message: TOO_LONG } }, "provider_client_error"],
    [{ error: { message: TOO_LONG, code: "odd" } }, "provider_error"],
    [{ error: "text" }, "provider_error"],
    [{ error: true }, "provider_error"],
    ["text", "provider_error"],
    [null, "provider_error"],
  ];
  for (const [error, code] of rows) {
    const failure = failedMidstream(error);
    assert.equal(failure.code, code, JSON.stringify(error));
    assert.equal(failure.certainlyNotRun, false);
  }
});

test("the cause for the operator has error words, no sentences", () => {
  const failure = rejected(400, { error: { message: "the prompt", code: "some_code", type: "a type with spaces" } });
  assert.equal((failure.cause as Error).message, "provider error: status 400, some_code");
});

test("an error is read in every shape", () => {
  assert.deepEqual(readErrorReport({ error: { message: "m", code: "C", type: "T", status: 503 } }), {
    message: "m",
    words: ["c", "t"],
    status: 503,
  });
  assert.equal(readErrorReport(42), null);
  assert.equal(readErrorReport([]), null);
});
