// The log of turns: who ran which model when, at what cost, and how it ended; never content.
// @spec what-the-service-does
import type { FailureCode } from "../../contract/failures.ts";
import type { TurnGrouping } from "../../contract/manage/turn-groupings.ts";
import type { ResponseStatus } from "../../contract/statuses.ts";
import type { Usage } from "../../contract/resources.ts";
import type { PriceSnapshot } from "../../core/money/prices.ts";
import type { Transfer } from "./money.ts";
import type { RunRecord } from "./turns.ts";

/** A turn as the log lists it. Times are Unix seconds, durations milliseconds since it began. */
export interface LoggedTurn {
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

/** Everything that the log knows of a turn. */
export interface LoggedTurnDetail extends LoggedTurn, Pick<RunRecord, "queueMs"> {
  readonly previousResponseId: string | null;
  /** The first response of its turn: itself, unless it continues with tool outputs. */
  readonly turnId: string;
  /** Null: it was settled without its run, or runs. */
  readonly attempts: number | null;
  readonly providerStatus: number | null;
  readonly providerRequestId: string | null;
  readonly incompleteReason: string | null;
  readonly toolCallsDropped: number;
  /** Without their messages, which may quote the client or the provider. */
  readonly warnings: readonly { readonly code: string; readonly param: string | null }[];
  /** Nano-credits per million tokens; null: the model was free. */
  readonly prices: PriceSnapshot | null;
  /** The hold at its end, or now. */
  readonly heldNano: bigint;
  readonly deletedAtMs: number | null;
  /** Its transfers in the ledger, in their order. */
  readonly transfers: readonly Transfer[];
}

/** Which turns to list; null: any. */
export interface TurnFilter {
  readonly organizationId: string;
  readonly keyId: string | null;
  /** "": turns of keys that had no owner. */
  readonly memberId: string | null;
  readonly model: string | null;
  readonly status: ResponseStatus | null;
  readonly failureCode: FailureCode | null;
  /** In these three, "" selects turns without one. */
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

export interface TurnPage {
  /** Newest first. */
  readonly turns: readonly LoggedTurn[];
  /**
   * Where to go on in the direction of the page; null: nothing is left. A page that has read all that it may ends
   * there, filled or not.
   */
  readonly next: LogPlace | null;
}

/** The turns of a model that began in an hour. */
export interface TurnCount {
  /** Hours since 1970. */
  readonly hour: number;
  readonly model: string;
  readonly turns: number;
}

export interface TurnCounts {
  /** In the order of time. */
  readonly counts: readonly TurnCount[];
  /** Unix seconds: not every turn that began earlier was read; null: all were read. */
  readonly readFrom: number | null;
}

/** What turns used and were charged. */
export interface TurnSums {
  /** Running ones included: they have used and been charged nothing yet. */
  readonly turns: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly chargedNano: bigint;
}

/** The turns of one end user, label, conversation, model, key or member. */
export interface TurnGroup extends TurnSums {
  readonly id: string;
  /** A key's name, a member's e-mail address; null: there is none. */
  readonly name: string | null;
}

/** The groups, the others and none add up to the total. */
export interface TurnGroups {
  /** Those that were charged most, in that order. */
  readonly groups: readonly TurnGroup[];
  /** The groups beyond the limit, and how many they are. */
  readonly others: TurnSums & { readonly groups: number };
  /** The turns that belong to no group. */
  readonly none: TurnSums;
  readonly total: TurnSums;
  /** As of TurnCounts. */
  readonly readFrom: number | null;
}

export interface TurnLogStore {
  /**
   * A page of the organization's turns: the newest, or those next to a place (exclusive), older or newer. Reads
   * `readsMax` turns at most, however few of them fit the filter.
   */
  listTurns(query: {
    filter: TurnFilter;
    /** Null: the newest. */
    from: { readonly place: LogPlace; readonly direction: "older" | "newer" } | null;
    limit: number;
    readsMax: number;
  }): Promise<TurnPage>;

  /** Counts the turns of a filter by hour and model. Reads the newest `readsMax` turns at most. */
  countTurns(query: { filter: TurnFilter; readsMax: number }): Promise<TurnCounts>;

  /** Adds up the turns of a filter by group, of which it lists `limit`. Reads the newest `readsMax` turns at most. */
  groupTurns(query: { filter: TurnFilter; by: TurnGrouping; limit: number; readsMax: number }): Promise<TurnGroups>;

  /** One turn of the organization, only if its key was the member's when one is given; null for every other. */
  findTurn(query: {
    organizationId: string;
    memberId: string | null;
    responseId: string;
  }): Promise<LoggedTurnDetail | null>;
}
