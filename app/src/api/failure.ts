// Errors of requests, as the screens show them.

/** An error of the service, with the request id that its log has. */
export class RequestFailure extends Error {
  readonly code: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly requestId: string | null;

  constructor(message: string, facts: { code: string; status: number | null; requestId: string | null }) {
    super(message);
    this.name = "RequestFailure";
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
  }
}

/** Reads the error envelope of a response that is not 2xx. */
export function readFailure(body: unknown, response: Response): RequestFailure {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as {
    error?: { message?: unknown; code?: unknown };
  };
  const text = typeof error?.message === "string" ? error.message : `The service answered ${response.status}.`;
  return new RequestFailure(text, {
    code: typeof error?.code === "string" ? error.code : `http_${response.status}`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
  });
}

/** Wraps what `fetch` throws when there is no response. */
export function unreachable(cause: unknown): RequestFailure {
  const failure = new RequestFailure("The service does not answer. Check that it runs, then try again.", {
    code: "unreachable",
    status: null,
    requestId: null,
  });
  failure.cause = cause;
  return failure;
}
