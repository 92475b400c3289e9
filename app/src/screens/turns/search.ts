// The filters of the log of turns in its URL, and what they ask of the interface.
import type { FailureCode, TurnGrouping, TurnStatus } from "../../api/client.ts";
import { defined } from "../../parts/defined.ts";
import { readText } from "../search.ts";
import { readTimes, type TimesSearch } from "../time-range.ts";

export interface TurnsSearch extends TimesSearch {
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
  readonly status?: TurnStatus;
  readonly failure_code?: FailureCode;
  readonly conversation?: string;
  /** The hash of an end user, or `none`. */
  readonly end_user?: string;
  /** What clients send instead of the hash. */
  readonly safety_identifier?: string;
  /** `KEY=VALUE` of the metadata, or `none`. */
  readonly label?: string;
}

/** The filters, and what the table of groups shows their turns by. */
export interface TurnsView extends TurnsSearch {
  readonly by?: TurnGrouping;
}

/** Filters to set, or with undefined to lift. */
export type TurnsChange = Partial<Record<keyof TurnsSearch, string | undefined>>;

/** As a filter: turns that have none. */
export const NONE = "none";

/** Every status, in the order of the menu. */
export const STATUSES = Object.keys({
  completed: true,
  failed: true,
  incomplete: true,
  cancelled: true,
  in_progress: true,
  queued: true,
} satisfies Record<TurnStatus, true>) as readonly TurnStatus[];

export const FAILURE_CODES = Object.keys({
  budget_exceeded: true,
  canceled: true,
  end_user_blocked: true,
  insufficient_credits: true,
  org_daily_budget_exceeded: true,
  provider_client_error: true,
  provider_error: true,
  provider_overloaded: true,
  provider_rate_limited: true,
  provider_unavailable: true,
  run_failed: true,
  scope_budget_exceeded: true,
} satisfies Record<FailureCode, true>) as readonly FailureCode[];

/** What turns are grouped by, in the order of the menu. */
export const GROUPINGS = Object.keys({
  end_user: true,
  label: true,
  conversation: true,
  model: true,
  key: true,
  member: true,
} satisfies Record<TurnGrouping, true>) as readonly TurnGrouping[];

/** The filters and the grouping of a URL. */
export function readTurnsView(search: Record<string, unknown>): TurnsView {
  const by = GROUPINGS.find((grouping) => grouping === search["by"]);
  return { ...readTurnsSearch(search), ...defined({ by }) };
}

/** The filters of a URL; whatever is no filter is left out. */
export function readTurnsSearch(search: Record<string, unknown>): TurnsSearch {
  return defined({
    ...readTimes(search),
    model: readText(search["model"]),
    key: readText(search["key"]),
    member: readText(search["member"]),
    status: STATUSES.find((status) => status === search["status"]),
    failure_code: FAILURE_CODES.find((code) => code === search["failure_code"]),
    conversation: readText(search["conversation"]),
    end_user: readText(search["end_user"]),
    safety_identifier: readText(search["safety_identifier"]),
    label: readText(search["label"]),
  });
}
