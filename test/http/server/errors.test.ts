// Errors as a client sees them: status, envelope, headers; their details stay in the log.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CATALOGUE, type ErrorCode, ApiError } from "../../../src/contract/errors.ts";
import type { RequestContext } from "../../../src/flows/request-context.ts";
import { StoreError } from "../../../src/ports/store/store.ts";
import { parseReply, requestText, startServer } from "./scripted-server.ts";

async function answerTo(thrown: (exchange: RequestContext) => unknown, headers: readonly string[] = []) {
  await using server = await startServer({
    serve: async (exchange) => {
      throw thrown(exchange);
    },
  });
  const reply = parseReply(await server.sendRaw(requestText("POST", "/v1/responses", headers)));
  const { error } = JSON.parse(reply.body) as { error: Record<string, unknown> };
  return { ...reply, error, logged: server.logged };
}

/** The specification's table: status, type and Retry-After of each code. @spec errors */
const TABLE: readonly [
  code: ErrorCode,
  status: number,
  type: string,
  retryAfter: boolean,
  shouldRetry: string | undefined,
][] = [
  ["invalid_api_key", 401, "invalid_request_error", false, undefined],
  ["access_denied", 403, "permission_error", false, undefined],
  ["payment_method_required", 402, "invalid_request_error", false, "false"],
  ["insufficient_quota", 429, "insufficient_quota", false, "false"],
  ["auth_unavailable", 503, "overloaded_error", true, "true"],
  ["invalid_input", 400, "invalid_request_error", false, undefined],
  ["context_length_exceeded", 400, "invalid_request_error", false, undefined],
  ["model_policy_violation", 400, "invalid_request_error", false, undefined],
  ["resource_not_found", 404, "not_found_error", false, undefined],
  ["idempotency_conflict", 409, "invalid_request_error", false, "false"],
  ["idempotency_in_progress", 409, "invalid_request_error", true, "true"],
  ["rate_limit_exceeded", 429, "rate_limit_error", true, "true"],
  ["stream_limit_exceeded", 429, "rate_limit_error", true, "true"],
  ["scope_budget_exceeded", 429, "rate_limit_error", false, "false"],
  ["insufficient_credits", 429, "rate_limit_error", false, "false"],
  ["gateway_overloaded", 503, "overloaded_error", true, "true"],
  ["database_unavailable", 503, "overloaded_error", true, "true"],
  ["provider_rate_limited", 429, "rate_limit_error", false, undefined],
  ["provider_overloaded", 502, "api_error", false, undefined],
  ["provider_unavailable", 502, "api_error", false, undefined],
  ["request_timeout", 504, "api_error", false, "false"],
  ["internal_server_error", 500, "api_error", false, undefined],
  ["database_error", 500, "api_error", false, undefined],
  ["item_unreadable", 500, "api_error", false, undefined],
];

test("the table has every code", () => {
  assert.deepEqual(TABLE.map(([code]) => code).toSorted(), Object.keys(ERROR_CATALOGUE).toSorted());
});

for (const [code, status, type, retryAfter, shouldRetry] of TABLE) {
  test(`${code} is ${status}, ${type}`, async () => {
    const reply = await answerTo(() => new ApiError(code, "said so", { param: "model" }));
    assert.equal(reply.status, status);
    assert.deepEqual(reply.error, { message: "said so", type, param: "model", code });
    assert.equal(reply.headers.get("retry-after"), retryAfter ? "1" : undefined);
    assert.equal(reply.headers.get("x-should-retry"), shouldRetry);
    assert.match(reply.headers.get("x-request-id") ?? "", /^req_/);
  });
}

test("Retry-After of our own is whole seconds from 1 to 60", async () => {
  for (const [seconds, sent] of [
    [0, "1"],
    [0.2, "1"],
    [1.2, "2"],
    [60, "60"],
    [3600, "60"],
  ] as const) {
    const reply = await answerTo(() => new ApiError("rate_limit_exceeded", "", { retryAfterSeconds: seconds }));
    assert.equal(reply.headers.get("retry-after"), sent);
  }
});

test("a provider's rate limit has the provider's Retry-After unchanged, if known", async () => {
  // Official clients ignore more than 60 s and would try again at once.
  for (const [seconds, sent, shouldRetry] of [
    [0, "0", "true"],
    [60, "60", "true"],
    [61, "61", "false"],
    [86_400, "86400", "false"],
  ] as const) {
    const reply = await answerTo(() => new ApiError("provider_rate_limited", "", { retryAfterSeconds: seconds }));
    assert.equal(reply.headers.get("retry-after"), sent);
    assert.equal(reply.headers.get("x-should-retry"), shouldRetry);
  }
});

test("a code without Retry-After never gets one, whatever the error has", async () => {
  const reply = await answerTo(() => new ApiError("provider_overloaded", "", { retryAfterSeconds: 7 }));
  assert.equal(reply.headers.get("retry-after"), undefined);
});

test("a 504 may be retried with an Idempotency-Key: without one it would create a second response", async () => {
  const thrown = () => new ApiError("request_timeout", "");
  assert.equal((await answerTo(thrown)).headers.get("x-should-retry"), "false");
  assert.equal((await answerTo(thrown, ["Idempotency-Key: k"])).headers.get("x-should-retry"), undefined);
  // An empty key is ignored, so it protects from nothing.
  assert.equal((await answerTo(thrown, ["Idempotency-Key:"])).headers.get("x-should-retry"), "false");
});

test("a status other than the catalogue's is kept", async () => {
  const reply = await answerTo(() => new ApiError("invalid_input", "", { status: 413 }));
  assert.equal(reply.status, 413);
  assert.equal(reply.error["type"], "invalid_request_error");
});

for (const [kind, status, code, retryAfter] of [
  ["unavailable", 503, "database_unavailable", "1"],
  ["failed", 500, "database_error", undefined],
  ["lost", 500, "database_error", undefined],
] as const) {
  test(`a store that is ${kind} is ${status} ${code}, its message only in the log`, async () => {
    const reply = await answerTo(() => new StoreError(kind, "disk sda1 is on fire"));
    assert.equal(reply.status, status);
    assert.equal(reply.error["code"], code);
    assert.equal(reply.headers.get("retry-after"), retryAfter);
    assert.doesNotMatch(reply.body, /sda1/);
    assert.match(String(reply.logged[0]?.error), /sda1/);
  });
}

for (const thrown of [new TypeError("secret inside"), "secret inside", null, undefined]) {
  test(`anything else (${String(thrown)}) is a 500 without detail, logged under the request's id`, async () => {
    const reply = await answerTo(() => thrown);
    assert.equal(reply.status, 500);
    assert.equal(reply.error["code"], "internal_server_error");
    assert.doesNotMatch(reply.body, /secret/);
    const [line] = reply.logged;
    assert.equal(line?.level, "error");
    assert.ok(line);
    assert.equal((line.fields as Record<string, unknown>)["request_id"], reply.headers.get("x-request-id"));
    assert.equal(line.error, thrown ?? String(thrown));
  });
}

test("client errors are not logged as errors of the service", async () => {
  assert.deepEqual((await answerTo(() => new ApiError("invalid_input", "no"))).logged, []);
});

test("rate limit headers are on successes and errors alike", async () => {
  for (const isRejected of [false, true]) {
    await using server = await startServer({
      async serve(exchange) {
        exchange.allowance = { limit: 60, remaining: 59, resetMs: 999.2 };
        if (isRejected) throw new ApiError("rate_limit_exceeded", "");
        return { kind: "json", body: {} };
      },
    });
    const { headers } = parseReply(await server.sendRaw(requestText("GET", "/v1/responses/r")));
    assert.equal(headers.get("x-ratelimit-limit-requests"), "60");
    assert.equal(headers.get("x-ratelimit-remaining-requests"), "59");
    assert.equal(headers.get("x-ratelimit-reset-requests"), "1s");
  }
});

test("a response is JSON with its length and no needless headers", async () => {
  await using server = await startServer({ serve: async () => ({ kind: "json", body: { text: "é" } }) });
  const { headers, body } = parseReply(await server.sendRaw(requestText("GET", "/v1/models", ["x-request-id: mine"])));
  assert.equal(body, '{"text":"é"}');
  const forBrowsers = ["cache-control", "x-content-type-options"];
  const all = ["content-type", "content-length", ...forBrowsers, "x-request-id", "date", "connection"];
  assert.deepEqual([...headers.keys()], all);
  assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(headers.get("content-length"), "13");
  assert.match(headers.get("x-request-id") ?? "", /^req_/);
});
