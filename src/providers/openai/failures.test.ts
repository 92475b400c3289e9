import assert from "node:assert/strict";
import test from "node:test";
import type { ResponseHeaders } from "../wire/response-headers.ts";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { UpstreamErrorCode } from "../wire/error-codes.ts";
import { errorOfResponse, errorInStream, rejectsInclude } from "./failures.ts";

const KEY = "sk-secret";
const headOf = (status: number, headers: ResponseHeaders = {}) =>
  sampleHead({ provider: "openai", status, headers, secrets: [KEY] });
const refused = (status: number, body: unknown, headers?: ResponseHeaders) =>
  errorOfResponse({
    head: headOf(status, headers),
    body: typeof body === "string" ? body : JSON.stringify(body),
    model: sampleModel(),
  });
const error = (code: string | null, type: string | null = null, message = "why") => ({
  error: { message, type, param: null, code },
});

test("a rejection of include is told from others", () => {
  const words = "Encrypted content is not supported with this model.";
  const bodies = [
    JSON.stringify({ error: { message: words, type: "invalid_request_error", param: "include", code: null } }),
    '{"error": {"message": "unheard of", "param" : "include"}}',
    JSON.stringify({ error: { message: `litellm.BadRequestError: OpenAIException - {"message": "${words}"}` } }),
  ];
  for (const body of bodies) {
    assert.equal(rejectsInclude(400, body), true, body);
    assert.equal(rejectsInclude(500, body), false, body);
  }
  assert.equal(rejectsInclude(400, JSON.stringify({ error: { message: "include what?", param: "input" } })), false);
});

test("each error response has its failure", () => {
  const rows: [number, unknown, UpstreamErrorCode, boolean][] = [
    [400, error("invalid_value", "invalid_request_error"), "provider_client_error", false],
    [400, error("invalid_prompt", "invalid_request_error"), "provider_client_error", false],
    [400, error("context_length_exceeded", "invalid_request_error"), "provider_client_error", false],
    [400, error("model_not_found", "invalid_request_error"), "provider_unavailable", false],
    [400, error("identifier_blocked"), "end_user_blocked", false],
    [403, error("Identifier blocked"), "end_user_blocked", false],
    [401, error("invalid_api_key", "invalid_request_error"), "provider_unavailable", false],
    [403, error("unsupported_country_region_territory"), "provider_unavailable", false],
    [404, error("model_not_found"), "provider_unavailable", false],
    [413, "", "provider_client_error", false],
    [429, error("rate_limit_exceeded", "requests"), "provider_rate_limited", false],
    [429, error("insufficient_quota", "insufficient_quota"), "provider_unavailable", false],
    [429, error(null, "insufficient_quota"), "provider_unavailable", false],
    [429, error("billing_hard_limit_reached"), "provider_unavailable", false],
    [500, error("server_error", "server_error"), "provider_unavailable", false],
    [502, "<html>Bad Gateway</html>", "provider_unavailable", false],
    [503, error("server_is_overloaded", "service_unavailable_error"), "provider_overloaded", true],
    [503, error("slow_down", "service_unavailable_error"), "provider_overloaded", true],
    [503, error(null, "service_unavailable_error"), "provider_unavailable", true],
    [504, "", "provider_unavailable", false],
    [302, "", "provider_unavailable", false],
  ];
  for (const [status, body, code, certainlyNotRun] of rows) {
    const failure = refused(status, body);
    assert.deepEqual(
      [failure.code, failure.certainlyNotRun],
      [code, certainlyNotRun],
      `${status} ${JSON.stringify(body)}`,
    );
    assert.deepEqual([failure.provider, failure.status, failure.requestId], ["openai", status, "req_1"]);
  }
});

test("each error within a stream has its failure, nested and flat", () => {
  const rows: [string | null, UpstreamErrorCode][] = [
    ["server_error", "provider_unavailable"],
    ["rate_limit_exceeded", "provider_rate_limited"],
    ["too_many_requests", "provider_rate_limited"],
    ["insufficient_quota", "provider_unavailable"],
    ["server_is_overloaded", "provider_overloaded"],
    ["invalid_prompt", "provider_client_error"],
    ["cyber_policy", "provider_client_error"],
    ["misalignment_policy_violation", "provider_client_error"],
    ["identifier_blocked", "end_user_blocked"],
    ["unheard_of", "provider_error"],
    [null, "provider_error"],
  ];
  for (const [code, expected] of rows) {
    for (const event of [
      { type: "error", ...error(code) },
      { type: "error", code, message: "why", param: null },
    ]) {
      const failure = errorInStream(headOf(200), event);
      assert.deepEqual([failure.code, failure.certainlyNotRun], [expected, false], String(code));
    }
  }
});

test("the status in an error within a stream decides where its words do not", () => {
  for (const [status, expected] of [
    [429, "provider_rate_limited"],
    ["503", "provider_unavailable"],
    ["401", "provider_unavailable"],
    [400, "provider_client_error"],
    [200, "provider_error"],
  ] as const) {
    for (const event of [
      { type: "error", error: { message: "why", type: "None", code: status } },
      { type: "error", code: status, message: "why", param: null },
      { error: { message: "why", status } },
    ]) {
      assert.equal(errorInStream(headOf(200), event).code, expected, JSON.stringify(event));
    }
  }
});

test("an error's type decides where its code does not", () => {
  const event = { type: "error", ...error("unheard_of", "service_unavailable_error") };
  assert.equal(errorInStream(headOf(200), event).code, "provider_unavailable");
});

test("a message never decides the code: an echo of the prompt cannot choose the failure", () => {
  const words = "identifier_blocked insufficient_quota server_is_overloaded";
  assert.equal(refused(400, error("x", "y", words)).code, "provider_client_error");
  assert.equal(refused(500, error("x", "y", words)).code, "provider_unavailable");
});

test("the provider's message reaches a client only if it is about the request, and never with the key", () => {
  const rejected = refused(400, error("invalid_value", null, `Invalid 'input[1].name' ${KEY}\n.`));
  assert.equal(rejected.message, "The provider rejected the request: Invalid 'input[1].name' [redacted] .");
  const ours = refused(401, error("invalid_api_key", null, "Incorrect API key provided: sk-se***ret"));
  assert.equal(ours.message, "The provider did not complete the request.");
  assert.equal(refused(404, error("model_not_found")).message, "The provider does not know the model local/llama.");
  assert.equal(refused(400, "<html>").message, "The provider rejected the request.");
});

test("only a rate limit passes Retry-After on, to the millisecond if given", () => {
  const waits = { "retry-after": "20", "retry-after-ms": "1500" };
  assert.equal(refused(429, error("rate_limit_exceeded"), waits).retryAfterSeconds, 2);
  assert.equal(refused(429, error("rate_limit_exceeded"), { "retry-after": "20" }).retryAfterSeconds, 20);
  assert.equal(refused(429, error("insufficient_quota"), waits).retryAfterSeconds, null);
});
