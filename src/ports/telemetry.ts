// What the service tells of its own work while it does it: numbers for /metrics, spans for traces. Never content, nor who asked: an
// organization or a key is no label (docs/observability.md).
import type { ErrorCode } from "../contract/errors.ts";
import type { FailureCode } from "../contract/failures.ts";
import type { Usage } from "../contract/resources.ts";
import type { Operation } from "../contract/routes.ts";
import type { TerminalStatus } from "../contract/statuses.ts";
import type { Charge } from "./funds.ts";

/** What a request asked for: an operation of the route table, or what stands beside it. */
export type RequestOperation = Operation | "unknown_route" | "reference" | "unread" | "unparsed";

/** A request whose head has been read. */
export interface RequestStart {
  readonly operation: RequestOperation;
  /** The path with its parameters as names (`/v1/responses/:response_id`); null where no route was found. */
  readonly route: string | null;
  /** The request itself, whose headers may name the trace it belongs to; they are only parsed when they are looked at. */
  readonly request: {
    readonly method?: string | undefined;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  };
}

export interface RequestEnd {
  /** Null: the client left before its request had come. */
  readonly status: number | null;
  /** Of an error answer. */
  readonly code: ErrorCode | null;
  readonly isStream: boolean;
}

/** A request while it is served. */
export interface ObservedRequest {
  /** Does work as part of the request: what is observed inside belongs to its trace. */
  during<T>(work: () => T): T;
  /** Called once, when the answer is out: of a stream when it is over. */
  ended(end: RequestEnd): void;
}

/** A turn that has begun. */
export interface TurnStart {
  readonly responseId: string;
  /** Catalog id. */
  readonly model: string;
  /** Name of the provider as configured. */
  readonly provider: string;
  /** The provider's own name for the model. */
  readonly upstreamModel: string;
  readonly conversationId: string | null;
  readonly previousResponseId: string | null;
  /** Of what is asked of the provider. */
  readonly maxOutputTokens: number;
  /** Null where the model takes none. */
  readonly temperature: number | null;
  readonly topP: number | null;
}

/** How a turn ended: as it is stored, taken back (`withdrawn`), or lost with its store. */
export interface TurnReport {
  readonly status: TerminalStatus | "withdrawn" | "lost";
  /** Of a failed turn, or of the error answer that took it back. */
  readonly code: FailureCode | ErrorCode | null;
  readonly incompleteReason: string | null;
  /** Null when nothing was used. */
  readonly usage: Usage | null;
  /** Null where the charge is not known: somebody else settled the turn, or nobody did. */
  readonly charge: Charge | null;
}

/** A turn while it runs. */
export interface ObservedTurn {
  /** Asks the provider, retries included: one client span. */
  asking<T>(ask: () => Promise<T>): Promise<T>;
  /** Something of the answer has come; the first call counts. */
  output(): void;
  /** Called once, when its end is stored. */
  ended(report: TurnReport): void;
}

export interface Telemetry {
  requestStarted(request: RequestStart): ObservedRequest;
  /** What came on a connection was refused by the HTTP parser. */
  requestUnparsed(status: number, code: ErrorCode): void;
  turnStarted(turn: TurnStart): ObservedTurn;
}

/** What is occupied at this moment; read when somebody looks. */
export interface Occupancy {
  readonly turnsRunning: number;
  readonly turnsQueued: number;
  /** Creates on their way from arrival to begin, and turns that are being settled. */
  readonly createsAdmitted: number;
  readonly openStreams: number;
  readonly isDraining: boolean;
}

/**
 * Where a call to the store is done: point reads, of a few rows by key, on the thread that asks; other reads and writes on threads that run
 * them in groups; what takes long on a thread aside.
 */
export type StoreSide = "point" | "read" | "write" | "aside";

/** What became of a call to the store; `refused`: a rule of the account tables said no. */
export type StoreOutcome = "ok" | "refused" | "unavailable" | "failed" | "lost";

/** What one side of the store tells of its work. */
export interface StoreSideTelemetry {
  /** A call was answered, so many milliseconds after it was made. */
  callAnswered(operation: string, outcome: StoreOutcome, milliseconds: number): void;
  /** Calls were run together: for writes one transaction, its commit to disk included. */
  groupRun(calls: number, milliseconds: number): void;
  /** How many calls wait for their answer, read when somebody looks. */
  watchWaiting(waiting: () => number): void;
}

export interface StoreTelemetry {
  side(side: StoreSide): StoreSideTelemetry;
}

/** What `/metrics` answers. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
