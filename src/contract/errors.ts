// The error catalogue, from which status, type, Retry-After and x-should-retry derive, and `ApiError`.
// @spec errors

/** Whether responses with a code carry Retry-After; `when_known`: the provider's value, if it sent one. */
type RetryAfterRule = "always" | "never" | "when_known";

interface CatalogueEntry {
  readonly status: number;
  readonly retryAfter: RetryAfterRule;
  /** Value of the `x-should-retry` header; absent: clients decide (docs/wire.md, Objects). */
  readonly shouldRetry?: boolean;
}

/** Every error code. @spec errors/http-error-codes */
export const ERROR_CATALOGUE = {
  invalid_api_key: { status: 401, retryAfter: "never" },
  access_denied: { status: 403, retryAfter: "never" },
  payment_method_required: { status: 402, retryAfter: "never", shouldRetry: false },
  insufficient_quota: { status: 429, retryAfter: "never", shouldRetry: false },
  auth_unavailable: { status: 503, retryAfter: "always", shouldRetry: true },
  invalid_input: { status: 400, retryAfter: "never" },
  context_length_exceeded: { status: 400, retryAfter: "never" },
  model_policy_violation: { status: 400, retryAfter: "never" },
  resource_not_found: { status: 404, retryAfter: "never" },
  idempotency_conflict: { status: 409, retryAfter: "never", shouldRetry: false },
  idempotency_in_progress: { status: 409, retryAfter: "always", shouldRetry: true },
  rate_limit_exceeded: { status: 429, retryAfter: "always", shouldRetry: true },
  stream_limit_exceeded: { status: 429, retryAfter: "always", shouldRetry: true },
  scope_budget_exceeded: { status: 429, retryAfter: "never", shouldRetry: false },
  insufficient_credits: { status: 429, retryAfter: "never", shouldRetry: false },
  gateway_overloaded: { status: 503, retryAfter: "always", shouldRetry: true },
  database_unavailable: { status: 503, retryAfter: "always", shouldRetry: true },
  provider_rate_limited: { status: 429, retryAfter: "when_known" },
  provider_overloaded: { status: 502, retryAfter: "never" },
  provider_unavailable: { status: 502, retryAfter: "never" },
  request_timeout: { status: 504, retryAfter: "never" },
  internal_server_error: { status: 500, retryAfter: "never" },
  database_error: { status: 500, retryAfter: "never" },
  item_unreadable: { status: 500, retryAfter: "never" },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export const ERROR_TYPES = [
  "invalid_request_error",
  "permission_error",
  "not_found_error",
  "rate_limit_error",
  "insufficient_quota",
  "api_error",
  "overloaded_error",
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The `type` of an error follows from its status; only `insufficient_quota` has a type of its own. @spec errors */
export function errorType(status: number, code: ErrorCode): ErrorType {
  if (code === "insufficient_quota") return "insufficient_quota";
  switch (status) {
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

/** The envelope of every error. @spec errors */
export interface ErrorEnvelope {
  readonly error: {
    readonly message: string;
    readonly type: ErrorType;
    readonly param: string | null;
    readonly code: ErrorCode;
  };
}

/** Optional parts of an error. */
export interface ApiErrorDetail {
  /** The request field that caused the error, or null. */
  readonly param?: string | null;
  /**
   * Seconds until a retry makes sense; 1 where the catalogue says `always` and nothing is given. Sent as whole seconds;
   * a provider's value is kept, our own is clamped to 1..60.
   */
  readonly retryAfterSeconds?: number;
  /** Overrides the catalogue's status: 408, 413, 417 or 431 of the HTTP layer, all `invalid_input`. */
  readonly status?: number;
  /** Whether a retry would fail the same way, where the catalogue does not say. False when not given. */
  readonly isLasting?: boolean;
  readonly cause?: unknown;
}

/**
 * An HTTP error. It is thrown before a response exists, so nothing is stored and nothing charged, and caught once for
 * each interface (`server/shared/serve.ts`, `cli/program.ts`). The message is for the client: it names the field, the
 * value and what to do instead.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly isLasting: boolean;

  constructor(code: ErrorCode, message: string, detail: ApiErrorDetail = {}) {
    // No stack trace: such an error is expected, and capturing one costs more than the rest of the error.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.param = detail.param ?? null;
    this.isLasting = detail.isLasting ?? false;
    const { status, retryAfter } = ERROR_CATALOGUE[code];
    this.status = detail.status ?? status;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? (retryAfter === "always" ? 1 : undefined);
  }
}

/** 400 `invalid_input` about one field. */
export function invalidInput(param: string | null, message: string): ApiError {
  return new ApiError("invalid_input", message, { param });
}

/** The message of the uniform 404: the same for every reason, so that it reveals nothing. */
export const NOT_FOUND_MESSAGE = "The requested resource was not found.";

/** The uniform 404, whatever the reason. @spec errors */
export function notFound(): ApiError {
  return new ApiError("resource_not_found", NOT_FOUND_MESSAGE);
}
