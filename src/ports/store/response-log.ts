// The log of turns: who ran which model when, at what cost, and how it ended; never content.
// @spec what-the-service-does
import type { FailureCode } from "../../contract/failures.ts";
import type { TurnGrouping } from "../../contract/manage/turn-groupings.ts";
import type { ResponseStatus } from "../../contract/statuses.ts";
import type { FailedAttempt, Usage } from "../../contract/resources.ts";
import type { PriceSnapshot } from "../../core/money/prices.ts";
import type { Transfer } from "./money.ts";
import type { RunRecord } from "./responses.ts";

/** A response as the log lists it. Times are Unix seconds, durations milliseconds since it began. */
export interface LoggedResponse {
  readonly id: string;
  readonly status: ResponseStatus;
  readonly model: string;
  readonly keyId: string;
  readonly keyName: string | null;
  /** The member who owned the key then; null: the key had no owner. */
  readonly memberId: string | null;
  /** Null: there is no such member any more. */
  readonly memberEmail: string | null;
  readonly conversationId: string | null;
  /** Of the create that made it; null: it began before request ids were kept. */
  readonly requestId: string | null;
  /** A keyed hash; null: the client named no end user, or the content was erased. */
  readonly endUser: string | null;
  /** `KEY=VALUE` of the metadata key that the operator chose; null: as above. */
  readonly label: string | null;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly failureCode: FailureCode | null;
  readonly firstOutputMs: number | null;
  readonly durationMs: number | null;
  /** Zeros while it runs. */
  readonly usage: Usage;
  /** Null while it runs. */
  readonly chargedNano: bigint | null;
}

/** Everything that the log knows of a response. */
export interface LoggedResponseDetail extends LoggedResponse, Pick<RunRecord, "queueMs"> {
  readonly previousResponseId: string | null;
  /** The first response of its turn: itself, unless it continues with tool outputs. */
  readonly turnId: string;
  /** Null: it was settled without its run, or runs. */
  readonly attempts: number | null;
  readonly providerStatus: number | null;
  readonly providerRequestId: string | null;
  /** Where it ran; null: its model has no targets, none was asked, or the content was erased. */
  readonly target: string | null;
  /** When its call began, milliseconds from the turn's begin; null: it ran nowhere, or that was not recorded. */
  readonly targetStartedMs: number | null;
  /** Calls of targets that failed before. */
  readonly failedAttempts: readonly FailedAttempt[];
  readonly incompleteReason: string | null;
  readonly toolCallsDropped: number;
  /** Without their messages, which may quote the client or the provider. */
  readonly warnings: readonly { readonly code: string; readonly param: string | null }[];
  /** Nano-credits per million tokens; null: the model was free. */
  readonly prices: PriceSnapshot | null;
  readonly deletedAtMs: number | null;
  /** What its client was told of its failure; null: it did not fail, its content was erased, or it may quote the request. */
  readonly failureMessage: string | null;
  /** Its transfers in the ledger, in their order. */
  readonly transfers: readonly Transfer[];
}

/** Which responses to list; null: any. */
export interface ResponseFilter {
  readonly organizationId: string;
  readonly keyId: string | null;
  /** "": responses of keys that had no owner. */
  readonly memberId: string | null;
  readonly model: string | null;
  readonly status: ResponseStatus | null;
  readonly failureCode: FailureCode | null;
  /** In these three, "" selects responses without one. */
  readonly conversationId: string | null;
  readonly endUser: string | null;
  readonly label: string | null;
  /** Unix seconds: the first one, and the first one after. */
  readonly from: number | null;
  readonly to: number | null;
}

/** A place in the log. */
export interface LogPlace {
  readonly createdAt: number;
  readonly responseId: string;
}

export interface ResponsePage {
  /** Newest first. */
  readonly responses: readonly LoggedResponse[];
  /**
   * Where to go on in the direction of the page; null: nothing is left. A page that has read all that it may ends
   * there, filled or not.
   */
  readonly next: LogPlace | null;
}

/** The responses of a model that began in an hour. */
export interface ResponseCount {
  /** Hours since 1970. */
  readonly hour: number;
  readonly model: string;
  readonly responses: number;
}

export interface ResponseCounts {
  /** In the order of time. */
  readonly counts: readonly ResponseCount[];
  /** Unix seconds: not every response that began earlier was read; null: all were read. */
  readonly readFrom: number | null;
}

/** What responses used and were charged. */
export interface LoggedSums {
  /** Running ones included: they have used and been charged nothing yet. */
  readonly responses: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly chargedNano: bigint;
}

/** The responses of one end user, label, conversation, model, key or member. */
export interface ResponseGroup extends LoggedSums {
  readonly id: string;
  /** A key's name, a member's e-mail address; null: there is none. */
  readonly name: string | null;
}

/** The groups, the others and none add up to the total. */
export interface ResponseGroups {
  /** Those that were charged most, in that order. */
  readonly groups: readonly ResponseGroup[];
  /** The groups beyond the limit, and how many they are. */
  readonly others: LoggedSums & { readonly groups: number };
  /** The responses that belong to no group. */
  readonly none: LoggedSums;
  readonly total: LoggedSums;
  /** As of ResponseCounts. */
  readonly readFrom: number | null;
}

/** A response that a request id leads to. */
export interface TracedResponse {
  readonly id: string;
  readonly createdAt: number;
  readonly status: ResponseStatus;
  readonly model: string;
}

export interface TracedRequest {
  readonly responses: readonly TracedResponse[];
  /** As of ResponseCounts. */
  readonly readFrom: number | null;
}

/** A conversation as the log knows it. */
export interface FoundConversation {
  readonly keyId: string;
  readonly keyName: string | null;
  readonly createdAt: number;
  /** 1 or 0. */
  readonly isDeleted: number;
}

export interface ResponseLogStore {
  /**
   * A page of the organization's responses: the newest, or those next to a place (exclusive), older or newer. Reads
   * `readsMax` responses at most, however few of them fit the filter.
   */
  listResponses(query: {
    filter: ResponseFilter;
    /** Null: the newest. */
    from: { readonly place: LogPlace; readonly direction: "older" | "newer" } | null;
    limit: number;
    readsMax: number;
  }): Promise<ResponsePage>;

  /** Counts the responses of a filter by hour and model. Reads the newest `readsMax` responses at most. */
  countResponses(query: { filter: ResponseFilter; readsMax: number }): Promise<ResponseCounts>;

  /**
   * Adds up the responses of a filter by group, of which it lists `limit`. Reads the newest `readsMax` responses at
   * most.
   */
  groupResponses(query: {
    filter: ResponseFilter;
    by: TurnGrouping;
    limit: number;
    readsMax: number;
  }): Promise<ResponseGroups>;

  /** One response of the organization, only if its key was the member's when one is given; null for every other. */
  findResponse(query: {
    organizationId: string;
    memberId: string | null;
    responseId: string;
  }): Promise<LoggedResponseDetail | null>;

  /**
   * The responses of a request: by the id of their create, or by a provider's id of its own request. `cameMs`: when the
   * request came, as far as its id says. Beyond that time it reads the newest `readsMax` responses, and as many of the
   * unsuccessful ones.
   */
  traceRequest(query: {
    organizationId: string;
    memberId: string | null;
    requestId: string;
    cameMs: number | null;
    readsMax: number;
  }): Promise<TracedRequest>;

  /** A conversation of the organization, deleted or not; only of the member's keys when one is given. */
  findConversation(query: {
    organizationId: string;
    memberId: string | null;
    conversationId: string;
  }): Promise<FoundConversation | null>;

  /**
   * The organization of a response, a conversation, a key, a member, or a request: a rejected one, or a create, which is
   * looked for at the time of its id (`cameMs`) among `readsMax` responses of each organization.
   */
  findOwner(query: { id: string; cameMs: number | null; readsMax: number }): Promise<string | null>;
}
