// The usage that counts the turns of a filter.
import { addDays, dayIn, daysBetween, ownZone } from "../../parts/days.ts";
import { defined } from "../../parts/defined.ts";
import type { UsageSearch } from "../usage/search.ts";
import type { TurnsSearch } from "./search.ts";

/** Days without a filter, days that are shown by hour, and days that are shown one by one. */
const DAYS_SHOWN = 7;
const DAYS_BY_HOUR = 3;
const DAYS_BY_DAY = 92;

type Filter = { readonly [Name in "from" | "to" | "model" | "key" | "member"]?: TurnsSearch[Name] | undefined };

/**
 * Whole days of the person's zone, by hour when they are few. Without a begin a week, or from `oldest` on, Unix seconds, if
 * that is earlier: the begin of the oldest response that is shown.
 */
export function usageOf({ from, to, model, key, member }: Filter, oldest = Infinity): UsageSearch {
  const zone = ownZone();
  const last = to === undefined ? dayIn(zone) : dayIn(zone, 0, Date.parse(to) - 1);
  const week = addDays(last, 1 - DAYS_SHOWN);
  const shown = Number.isFinite(oldest) ? dayIn(zone, 0, oldest * 1000) : week;
  const first = from === undefined ? (shown < week ? shown : week) : dayIn(zone, 0, Date.parse(from));
  const days = daysBetween(first, last).length;
  return {
    metric: "responses",
    every: days <= DAYS_BY_HOUR ? "hour" : days <= DAYS_BY_DAY ? "day" : "month",
    by: "model",
    and: "none",
    from: first <= last ? first : last,
    to: last,
    zone,
    ...defined({ model, key, member }),
  };
}
