// The refusal catalogue: one table from which status, type, Retry-After and x-should-retry derive, and the refusal itself.
// @spec errors

/** When a code's answer carries Retry-After. */
type RetryAfterRule = "always" | "never" | "when_known";

interface CatalogueEntry {
  readonly status: number;
  readonly retryAfter: RetryAfterRule;
  /** Value of the `x-should-retry` header, absent where clients may decide (docs/wire.md). */
  readonly shouldRetry?: boolean;
}

/** Every code of an HTTP error. @spec errors/http-error-codes */
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

/** The `type` of an error follows from its status; `insufficient_quota` alone carries its own. @spec errors */
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

/** What a refusal may say besides its code and message. */
export interface RefusalDetail {
  /** The request field it is about, else null. */
  readonly param?: string | null;
  /** Whole seconds after which a retry makes sense; clamped to 1..60 when it is sent. */
  readonly retryAfterSeconds?: number;
  /** A status other than the catalogue's: 408, 413, 417 and 431 of the HTTP parser, all `invalid_input`. */
  readonly status?: number;
  readonly cause?: unknown;
}

/**
 * A refusal happens before a turn exists: an HTTP error, nothing stored, nothing charged. Thrown once, caught once where an interface
 * answers (`http/answer.ts`, `manage/answer.ts`, `boot/program.ts`). The message is for the client: it names the field, what came and
 * what to do instead.
 */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, detail: RefusalDetail = {}) {
    // Where it was thrown is of no interest, and telling it costs more than all the rest of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.status = detail.status ?? ERROR_CATALOGUE[code].status;
    this.param = detail.param ?? null;
    this.retryAfterSeconds = detail.retryAfterSeconds;
  }
}

/** A 400 about one field. */
export function invalidInput(param: string | null, message: string): Refusal {
  return new Refusal("invalid_input", message, { param });
}

/** The sentence of the uniform 404: the same for every reason, so that nothing can be learnt from it. */
export const NOT_FOUND_MESSAGE = "The requested resource was not found.";

/** The uniform 404 for every reason a thing is not accessible. @spec errors */
export function notFound(): Refusal {
  return new Refusal("resource_not_found", NOT_FOUND_MESSAGE);
}
