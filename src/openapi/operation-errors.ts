// The error responses of each operation. @spec errors/http-error-codes
import { ERROR_CATALOGUE, type ErrorCode } from "../contract/errors.ts";
import { HTTP_FAILURE_CODES } from "../contract/failures.ts";
import { errorResponses, REQUEST_ID } from "./error-responses.ts";
import type { JsonSchema } from "./json.ts";
import type { Operation, Route } from "../contract/routes.ts";

/** The meaning of each code, as the specification puts it. @spec errors/http-error-codes */
const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_api_key: "The Authorization header is missing or malformed, or the key is unusable.",
  access_denied: "The key is not entitled.",
  payment_method_required: "No payment method is on file.",
  insufficient_quota: "No active plan or no credit balance; not a rate limit.",
  auth_unavailable: "The credentials could not be checked.",
  invalid_input: "The request cannot be honored; param names the field.",
  context_length_exceeded: "The turn is larger than the context window.",
  model_policy_violation: "The organization's policy or the API key forbids the model.",
  resource_not_found: "The uniform 404: the same for every reason why something is not accessible.",
  idempotency_conflict:
    "The key was used within 24 hours with a different body or for a different conversation, or this API key cannot read its result.",
  idempotency_in_progress: "The first request with the key is still processing.",
  rate_limit_exceeded: "A rate limit, or the limit of running and queued responses, was exceeded.",
  stream_limit_exceeded: "The maximum number of streams is open already.",
  scope_budget_exceeded: "The budget of the organization, member or key is exhausted.",
  insufficient_credits: "The credit balance is exhausted.",
  gateway_overloaded: "Nothing was created; the same Idempotency-Key still deduplicates.",
  database_unavailable: "Nothing was created.",
  provider_rate_limited: "The provider rate limited a non-streaming create.",
  provider_overloaded: "The provider is overloaded.",
  provider_unavailable: "The provider did not complete.",
  request_timeout: "The wait window ended and no response is readable.",
  internal_server_error: "A bug or a defect of the store: report the x-request-id.",
  database_error: "A bug or a defect of the store: report the x-request-id.",
  item_unreadable: "The item is stored but unreadable.",
};

/** Errors of every operation. */
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

/** Errors of single operations. */
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

/** The error responses of an operation by status. */
export function operationErrors(operation: Operation, route: Route): Record<string, JsonSchema> {
  return errorResponses(codesOf(operation, route), {
    meanings: MEANINGS,
    headersOf: (codes) => errorHeaders(codes, route),
    bodyTooLarge: route.body === null ? null : "The body is larger than this service accepts.",
  });
}

function codesOf(operation: Operation, route: Route): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([...EVERYWHERE, ...(PARTICULAR[operation] ?? [])]);
  if (route.path.includes(":")) codes.add("resource_not_found");
  if (route.allowance !== null) codes.add("rate_limit_exceeded");
  if (route.idempotent) for (const code of IDEMPOTENT) codes.add(code);
  return codes;
}

function errorHeaders(codes: readonly ErrorCode[], route: Route): JsonSchema {
  const mayCarryRetryAfter = codes.some((code) => ERROR_CATALOGUE[code].retryAfter !== "never");
  // Not in the catalogue: false for a request_timeout, but only without an Idempotency-Key; and false for a failure of
  // the provider whose cause lasts.
  const depends: readonly ErrorCode[] = ["request_timeout", ...HTTP_FAILURE_CODES];
  const maySayRetry = codes.some((code) => "shouldRetry" in ERROR_CATALOGUE[code] || depends.includes(code));
  return {
    ...commonHeaders(route),
    ...(mayCarryRetryAfter ? { "Retry-After": headerRef("RetryAfter") } : {}),
    ...(maySayRetry || mayCarryRetryAfter ? { "x-should-retry": headerRef("ShouldRetry") } : {}),
    ...(codes.includes("invalid_api_key") ? { "WWW-Authenticate": headerRef("Challenge") } : {}),
  };
}

/** The headers of every response of a route. */
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
    description: "Identifies this request; quote it when reporting a 500. A value sent by the client is ignored.",
    required: true,
    schema: { type: "string" },
  },
  RetryAfter: {
    description:
      "Whole seconds until a retry makes sense: the provider's value with provider_rate_limited, else 1 to 60.",
    schema: { type: "integer", minimum: 0 },
  },
  ShouldRetry: {
    description: "Whether a client should retry automatically; absent where the client decides.",
    schema: { type: "string", enum: ["true", "false"] },
  },
  Challenge: {
    description: "How to authenticate.",
    schema: { type: "string", const: "Bearer" },
  },
  RateLimitLimit: { description: "Requests per minute.", schema: { type: "integer" } },
  RateLimitRemaining: { description: "Requests left.", schema: { type: "integer" } },
  RateLimitReset: {
    description: "Time until the allowance is full again, such as `12ms`, `1s` or `6m0s`.",
    schema: { type: "string" },
  },
} as const;
