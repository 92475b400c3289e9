// Metrics and traces of the service. Never content or keys; organizations are labels only where the operator wants it
// (docs/observability.md).
import type { ErrorCode } from "../contract/errors.ts";
import type { FailureCode } from "../contract/failures.ts";
import type { Usage } from "../contract/resources.ts";
import type { Operation } from "../contract/routes.ts";
import type { TerminalStatus } from "../contract/statuses.ts";
import type { FailureSeries } from "./store/failures.ts";
import type { Charge } from "./store/funds.ts";

/** The operation of a request: one of the route table, or a class of other requests. */
export type RequestOperation = Operation | "unknown_route" | "reference" | "unread" | "unparsed";

/** A request whose head has been read. */
export interface RequestStart {
  readonly operation: RequestOperation;
  /** The route pattern (`/v1/responses/:response_id`); null when no route matched. */
  readonly route: string | null;
  /** The request, whose headers may carry a trace context; Node parses headers on first access. */
  readonly request: {
    readonly method?: string | undefined;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  };
}

export interface RequestEnd {
  /** Null: the client disconnected before the request was complete. */
  readonly status: number | null;
  /** Error code; null without an error. */
  readonly code: ErrorCode | null;
  readonly isStream: boolean;
  /** Of a request with an error whose key was valid; absent: of any other. */
  readonly organizationId?: string | undefined;
}

/** A request while it is served. */
export interface ObservedRequest {
  /** Runs `work` within the trace of the request. */
  during<T>(work: () => T): T;
  /** Called once, when the response has been sent; for a stream, when it has ended. */
  ended(end: RequestEnd): void;
}

/** A response that has begun. */
export interface ResponseStart {
  readonly responseId: string;
  readonly organizationId: string;
  /** Catalog id. */
  readonly model: string;
  /** The same, or the wildcard that took it: a client may choose its name, and metrics keep every name they have seen. */
  readonly countedModel: string;
  /** Name of the provider as configured. */
  readonly provider: string;
  /** The provider's own name for the model. */
  readonly upstreamModel: string;
  readonly conversationId: string | null;
  readonly previousResponseId: string | null;
  /** As sent to the provider. */
  readonly maxOutputTokens: number;
  /** Null if the model does not support it. */
  readonly temperature: number | null;
  readonly topP: number | null;
}

/** How a response ended: as stored, `withdrawn`, or `lost` because the store failed. */
export interface ResponseReport {
  readonly status: TerminalStatus | "withdrawn" | "lost";
  /** The code of a failed response, or of the error that withdrew it. */
  readonly code: FailureCode | ErrorCode | null;
  readonly incompleteReason: string | null;
  /** Null when no tokens were used. */
  readonly usage: Usage | null;
  /** Null when the charge is unknown, because this run did not settle the response. */
  readonly charge: Charge | null;
}

/** A call of one of the targets of a response's model. */
export interface TargetCall {
  /** `<provider>/<upstream model>`. */
  readonly target: string;
  /** Name of its provider as configured. */
  readonly provider: string;
  /** The provider's own name for the model. */
  readonly upstreamModel: string;
  /** Null: it ended well, or was stopped. */
  readonly code: FailureCode | null;
  /** Of the provider's response to a failed call; null: there was none. */
  readonly status: number | null;
}

/** A response while it runs. */
export interface ObservedResponse {
  /** Observes the call to the provider, retries included: one client span. */
  providerCall<T>(call: () => Promise<T>): Promise<T>;
  /** A target has been called; of several, the last one is where it ran. Not called for models without targets. */
  targetCalled(call: TargetCall): void;
  /** Output has arrived; only the first call counts. */
  output(): void;
  /** Called once, when the end is stored. */
  ended(report: ResponseReport): void;
}

export interface Telemetry {
  requestStarted(request: RequestStart): ObservedRequest;
  /** The HTTP parser rejected a request. */
  requestUnparsed(status: number, code: ErrorCode): void;
  responseStarted(response: ResponseStart): ObservedResponse;
  /** A create has failed, however its failure is delivered. */
  createFailed(failure: Omit<FailureSeries, "organizationId">): void;
  /** Housekeeping has deleted histories whose retention was over, or erased rows of deleted content. */
  contentDeleted(deleted: { readonly histories: number; readonly erasedRows: number }): void;
}

/** Current load; read when metrics are scraped. */
export interface Occupancy {
  readonly responsesRunning: number;
  readonly responsesQueued: number;
  /** Creates between arrival and begin, and responses that are being settled. */
  readonly createsAdmitted: number;
  readonly openStreams: number;
  readonly isDraining: boolean;
  /** Whether this process is a member of the nodes of its store; always, on a store for one process. */
  readonly isMember: boolean;
}

/**
 * Where a call to the store runs. `point`: reads of a few rows by key, on the calling thread. `read`, `write`: on
 * threads that run calls in groups. `aside`: long calls, on a separate thread.
 */
export type StoreSide = "point" | "read" | "write" | "aside";

/** The outcome of a call to the store; `refused`: an account rule rejected it. */
export type StoreOutcome = "ok" | "refused" | "unavailable" | "failed" | "lost" | "gone";

/** Telemetry of one side of the store. */
export interface StoreSideTelemetry {
  /** A call has completed after that many milliseconds. */
  callEnded(procedure: string, outcome: StoreOutcome, milliseconds: number): void;
  /** A group of calls ran together; for writes that is one transaction with its commit. */
  groupRun(calls: number, milliseconds: number): void;
  /** Registers a function that returns the number of pending calls. */
  watchWaiting(waiting: () => number): void;
}

export interface StoreTelemetry {
  side(side: StoreSide): StoreSideTelemetry;
}

/** The content of `/metrics`. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
