// Errors of requests, as the screens show them.

/** An error of the service, with the request id that its log has. */
export class RequestFailure extends Error {
  readonly code: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** The field that is wrong; null: none is named. */
  readonly param: string | null;

  constructor(
    message: string,
    facts: { code: string; status: number | null; requestId: string | null; param?: string | null },
  ) {
    super(message);
    this.name = "RequestFailure";
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.param = facts.param ?? null;
  }
}

/** Whether the same request may work a moment later: the service did not answer, or was busy, or failed itself. */
export function mayRetry(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return false;
  const { status } = error;
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** Reads the error envelope of a response that is not 2xx. */
export function readFailure(body: unknown, response: Response): RequestFailure {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as {
    error?: { message?: unknown; code?: unknown; param?: unknown };
  };
  const text = typeof error?.message === "string" ? error.message : `The service responded with ${response.status}.`;
  return new RequestFailure(text, {
    code: typeof error?.code === "string" ? error.code : `http_${response.status}`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    param: typeof error?.param === "string" ? error.param : null,
  });
}

/** Wraps what `fetch` throws when there is no response. */
export function unreachable(cause: unknown): RequestFailure {
  const failure = new RequestFailure("The service is not responding. Check that it is running, then try again.", {
    code: "unreachable",
    status: null,
    requestId: null,
  });
  failure.cause = cause;
  return failure;
}
