// The error answers of each operation, by status, out of the refusal catalogue. @spec errors/http-error-codes
import { ERROR_CATALOGUE, type ErrorCode } from "./errors.ts";
import { describeCodes, errorAnswer, PARSER_STATUSES, REQUEST_ID } from "./openapi-envelope.ts";
import type { JsonSchema } from "./openapi-json.ts";
import type { Operation, Route } from "./routes.ts";

/** What each code means, in the specification's words. @spec errors/http-error-codes */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_api_key: "The Authorization header is missing or malformed, or the key is unusable.",
  access_denied: "The key is not entitled.",
  payment_method_required: "No payment method is on file.",
  insufficient_quota: "No active plan or no credit balance; not a rate limit.",
  auth_unavailable: "The credentials could not be checked.",
  invalid_input: "The request cannot be honored; param names the field.",
  context_length_exceeded: "The turn is larger than the context window.",
  model_policy_violation: "The organization's policy forbids the model.",
  resource_not_found: "The uniform 404: the same for every reason a thing is not accessible.",
  idempotency_conflict:
    "The key was used within 24 hours with a different body or for a different conversation, or this API key cannot read what it made.",
  idempotency_in_progress: "The first request with the key is still processing.",
  rate_limit_exceeded: "A rate limit was exceeded.",
  stream_limit_exceeded: "The maximum of open streams is already held.",
  scope_budget_exceeded: "The budget of the organization, member or key is exhausted.",
  insufficient_credits: "The credit balance is exhausted.",
  gateway_overloaded: "Nothing was created; the same Idempotency-Key still deduplicates.",
  database_unavailable: "Nothing was created.",
  provider_rate_limited: "The provider rate limited a non-streaming create.",
  provider_overloaded: "The provider is overloaded.",
  provider_unavailable: "The provider did not complete.",
  request_timeout: "The wait window ended and no response is readable.",
  internal_server_error: "Report the x-request-id.",
  database_error: "Report the x-request-id.",
  item_unreadable: "The item is stored but unreadable.",
};

/** What any request under /v1 may meet. */
const EVERYWHERE: readonly ErrorCode[] = [
  "invalid_api_key",
  "access_denied",
  "invalid_input",
  "auth_unavailable",
  "gateway_overloaded",
  "database_unavailable",
  "internal_server_error",
  "database_error",
];

const IDEMPOTENT: readonly ErrorCode[] = ["idempotency_conflict", "idempotency_in_progress"];

/** What only some operations may meet. */
const PARTICULAR: Readonly<Partial<Record<Operation, readonly ErrorCode[]>>> = {
  createResponse: [
    "resource_not_found",
    "context_length_exceeded",
    "model_policy_violation",
    "payment_method_required",
    "insufficient_quota",
    "insufficient_credits",
    "scope_budget_exceeded",
    "stream_limit_exceeded",
    "provider_rate_limited",
    "provider_overloaded",
    "provider_unavailable",
    "request_timeout",
  ],
  retrieveItem: ["item_unreadable"],
};

const BODY_TOO_LARGE: Readonly<Record<number, string>> = { 413: "The body is larger than this service accepts." };

/** Error answers of an operation, by status: their codes, their type, their headers. */
export function buildErrorAnswers(operation: Operation, route: Route): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(codesOf(operation, route), (code) => ERROR_CATALOGUE[code].status);
  const answers: Record<string, JsonSchema> = {};
  for (const [status, codes] of byStatus) {
    const description = describeCodes(codes, MEANINGS);
    answers[status] = errorAnswer(status, codes, { description, headers: errorHeaders(codes, route) });
  }
  const parserStatuses = route.body === null ? PARSER_STATUSES : { ...PARSER_STATUSES, ...BODY_TOO_LARGE };
  for (const [status, description] of Object.entries(parserStatuses)) {
    answers[status] = errorAnswer(Number(status), ["invalid_input"], { description, headers: REQUEST_ID });
  }
  return answers;
}

function codesOf(operation: Operation, route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...EVERYWHERE, ...(PARTICULAR[operation] ?? [])]);
  if (route.path.includes(":")) codes.add("resource_not_found");
  if (route.allowance !== null) codes.add("rate_limit_exceeded");
  if (route.idempotent) for (const code of IDEMPOTENT) codes.add(code);
  return [...codes];
}

function errorHeaders(codes: readonly ErrorCode[], route: Route): JsonSchema {
  const mayCarryRetryAfter = codes.some((code) => ERROR_CATALOGUE[code].retryAfter !== "never");
  const maySayRetry = codes.some((code) => "shouldRetry" in ERROR_CATALOGUE[code] || code === "request_timeout");
  return {
    ...commonHeaders(route),
    ...(mayCarryRetryAfter ? { "Retry-After": headerRef("RetryAfter") } : {}),
    ...(maySayRetry || mayCarryRetryAfter ? { "x-should-retry": headerRef("ShouldRetry") } : {}),
  };
}

/** The headers that every answer of a route has. */
export function commonHeaders(route: Route): JsonSchema {
  if (route.allowance === null) return REQUEST_ID;
  return {
    ...REQUEST_ID,
    "x-ratelimit-limit-requests": headerRef("RateLimitLimit"),
    "x-ratelimit-remaining-requests": headerRef("RateLimitRemaining"),
    "x-ratelimit-reset-requests": headerRef("RateLimitReset"),
  };
}

function headerRef(name: keyof typeof HEADERS): JsonSchema {
  return { $ref: `#/components/headers/${name}` };
}

/** `components.headers`. */
export const HEADERS = {
  RequestId: {
    description: "Names this request; report it with a 500. One that the client sends is not taken over.",
    required: true,
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Whole seconds after which a retry makes sense.",
    schema: { type: "integer", minimum: 1, maximum: 60 },
  },
  ShouldRetry: {
    description: "Whether a client should retry by itself; absent where it may decide.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  RateLimitLimit: { description: "Requests a minute.", schema: { type: "integer" } },
  RateLimitRemaining: { description: "Requests left.", schema: { type: "integer" } },
  RateLimitReset: {
    description: "Until the allowance is whole again, such as `12ms`, `1s` or `6m0s`.",
    schema: { type: "string" },
  },
} as const;
