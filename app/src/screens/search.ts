// The filters of a screen that are in its URL, so that a link shows the same.
import { defined } from "../parts/defined.ts";
import { isOwnPath } from "../session/own-path.ts";

/** A text of a URL; undefined for none. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What the playground shows: where its transcript is, its model, and those of the second chat. */
export interface PlaygroundSearch {
  readonly conversation?: string;
  readonly response?: string;
  readonly model?: string;
  /** The model of the second chat. */
  readonly beside?: string;
  /** Where its transcript is: a conversation or a response. */
  readonly beside_at?: string;
}

const PLAYGROUND = ["conversation", "response", "model", "beside", "beside_at"] as const;

export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  return defined(Object.fromEntries(PLAYGROUND.map((name) => [name, readText(search[name])])));
}

const SERVICE_TABS = ["health", "providers", "nodes", "access", "integrity", "configuration"] as const;
export type ServiceTab = (typeof SERVICE_TABS)[number];

/** The tab of the operator's screen. */
export function readServiceSearch(search: Record<string, unknown>): { tab?: ServiceTab } {
  return defined({ tab: SERVICE_TABS.find((tab) => tab === search["tab"]) });
}

/** The sign-in page: the screen that comes next, and for whom a link is. */
export function readSignInSearch(search: Record<string, unknown>): { next?: string; as?: "operator" } {
  const { next, as } = search;
  return { ...(isOwnPath(next) ? { next } : {}), ...(as === "operator" ? { as } : {}) };
}
