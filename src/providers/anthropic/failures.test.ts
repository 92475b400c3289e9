import assert from "node:assert/strict";
import test from "node:test";
import type { ResponseHeaders } from "../wire/response-headers.ts";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { UpstreamErrorCode } from "../wire/error-codes.ts";
import { errorOfResponse, errorInStream } from "./failures.ts";

const KEY = "sk-ant-secret";
const headOf = (status: number, headers: ResponseHeaders = {}, requestId: string | null = "req_1") =>
  sampleHead({ provider: "anthropic", status, headers, requestId, secrets: [KEY] });
const errorOf = (type: string, message = "m", details?: object) => ({
  type: "error",
  error: { type, message, ...(details === undefined ? {} : { details }) },
  request_id: "req_body",
});
const rejected = (status: number, body: unknown, headers?: ResponseHeaders, requestId?: string | null) =>
  errorOfResponse({
    head: headOf(status, headers, requestId),
    body: typeof body === "string" ? body : JSON.stringify(body),
    model: sampleModel({ id: "anthropic/claude" }),
  });
const failedMidstream = (error: unknown) => errorInStream(headOf(200), error);

test("each error response has its failure", () => {
  const rows: [number, unknown, UpstreamErrorCode, boolean][] = [
    [400, errorOf("invalid_request_error", "prompt is too long"), "provider_client_error", false],
    [
      400,
      errorOf("invalid_request_error", "Your credit balance is too low to access the API."),
      "provider_unavailable",
      false,
    ],
    [
      400,
      errorOf("invalid_request_error", "You have reached your specified API usage limits. You will regain access on …"),
      "provider_unavailable",
      false,
    ],
    [400, errorOf("invalid_request_error", "This organization has been disabled."), "provider_unavailable", false],
    [400, errorOf("invalid_request_error", "x", { error_code: "organization_on_hold" }), "provider_unavailable", false],
    [400, errorOf("invalid_request_error", "x", { error_code: "cmek_key_disabled" }), "provider_unavailable", false],
    [
      429,
      errorOf("rate_limit_error", "x", { error_code: "enforced_spend_limit_reached" }),
      "provider_unavailable",
      false,
    ],
    [429, errorOf("rate_limit_error", "x", { error_code: "ramp_limit_exceeded" }), "provider_rate_limited", false],
    [
      400,
      errorOf("invalid_request_error", "x", { error_code: "contract_spend_limit_reached" }),
      "provider_unavailable",
      false,
    ],
    [401, errorOf("authentication_error", `invalid x-api-key ${KEY}`), "provider_unavailable", false],
    [402, errorOf("billing_error"), "provider_unavailable", false],
    [403, errorOf("permission_error"), "provider_unavailable", false],
    [404, errorOf("not_found_error", "model: claude"), "provider_unavailable", false],
    [413, errorOf("request_too_large"), "provider_client_error", false],
    [429, errorOf("rate_limit_error"), "provider_rate_limited", false],
    [429, errorOf("billing_error"), "provider_unavailable", false],
    [500, errorOf("api_error"), "provider_unavailable", false],
    [502, "<html>Bad Gateway</html>", "provider_unavailable", false],
    [503, errorOf("overloaded_error"), "provider_overloaded", true],
    [504, errorOf("timeout_error"), "provider_unavailable", false],
    [529, errorOf("overloaded_error"), "provider_overloaded", false],
    [529, "", "provider_overloaded", false],
    [302, "", "provider_unavailable", false],
  ];
  for (const [status, body, code, certainlyNotRun] of rows) {
    const failure = rejected(status, body);
    assert.deepEqual(
      [failure.code, failure.certainlyNotRun],
      [code, certainlyNotRun],
      `${status} ${JSON.stringify(body)}`,
    );
    assert.deepEqual([failure.provider, failure.status, failure.requestId], ["anthropic", status, "req_1"]);
    assert.ok(!failure.message.includes(KEY));
  }
});

test("the provider's message reaches a client only if it is about the request, and never with the key", () => {
  const rows: [number, unknown, string][] = [
    [
      400,
      errorOf("invalid_request_error", `bad ${KEY}\n\u0007here`),
      "The provider rejected the request: bad [redacted] here",
    ],
    [400, errorOf("invalid_request_error", ""), "The provider rejected the request."],
    [400, "<html>no</html>", "The provider rejected the request."],
    [400, { error: "a proxy's words" }, "The provider rejected the request: a proxy's words"],
    [
      400,
      errorOf("invalid_request_error", "Your credit balance is too low."),
      "The provider did not complete the request.",
    ],
    [401, errorOf("authentication_error", "invalid x-api-key"), "The provider did not complete the request."],
    [404, errorOf("not_found_error", "model: claude"), "The provider does not know the model anthropic/claude."],
    [429, errorOf("rate_limit_error", "org-123 is limited"), "The provider limits the rate of requests."],
    [529, errorOf("overloaded_error", "Overloaded"), "The provider is overloaded."],
  ];
  for (const [status, body, message] of rows) assert.equal(rejected(status, body).message, message);
});

test("words of the prompt repeated in a message do not change the failure", () => {
  const echo =
    "tools.0: overloaded_error rate_limit_error Your credit balance is too low. This organization has been disabled";
  assert.equal(rejected(400, errorOf("invalid_request_error", echo)).code, "provider_client_error");
});

test("a rate limit and an overload pass Retry-After on, other failures do not", () => {
  for (const status of [429, 503, 529]) {
    assert.equal(rejected(status, "", { "retry-after": "7" }).retryAfterSeconds, 7);
    assert.equal(rejected(status, "").retryAfterSeconds, null);
  }
  assert.equal(rejected(500, "", { "retry-after": "7" }).retryAfterSeconds, null);
});

test("the request id is read from the header, else from the body", () => {
  assert.equal(rejected(400, errorOf("invalid_request_error"), {}, null).requestId, "req_body");
  assert.equal(rejected(400, "", {}, null).requestId, null);
});

test("an error within a stream is mapped by its type, and the round ran", () => {
  const rows: [unknown, UpstreamErrorCode][] = [
    [errorOf("overloaded_error", "Overloaded"), "provider_overloaded"],
    [errorOf("rate_limit_error"), "provider_rate_limited"],
    [errorOf("api_error", "Internal server error"), "provider_unavailable"],
    [errorOf("timeout_error"), "provider_unavailable"],
    [errorOf("invalid_request_error"), "provider_client_error"],
    [errorOf("authentication_error"), "provider_unavailable"],
    [errorOf("unheard_of"), "provider_error"],
    [{ error: { type: "None", message: "m", code: "429" } }, "provider_rate_limited"],
    [{ error: { type: "None", message: "m", code: 401 } }, "provider_unavailable"],
    [{ type: "error", error: { message: "prompt is too long: 5 tokens > 4 maximum" } }, "provider_client_error"],
    [{ type: "error", error: "text" }, "provider_error"],
    [{ type: "error" }, "provider_error"],
    [null, "provider_error"],
  ];
  for (const [error, code] of rows) {
    const failure = failedMidstream(error);
    assert.equal(failure.code, code, JSON.stringify(error));
    assert.equal(failure.certainlyNotRun, false);
  }
});

test("the cause for the operator has error words, no sentences", () => {
  const failure = rejected(400, errorOf("invalid_request_error", "the prompt", { error_code: "some_code" }));
  assert.equal((failure.cause as Error).message, "provider error: status 400, invalid_request_error, some_code");
});
