// The times that a person chooses by a word.
import { dayIn, localStartOf, secondsOf, timeOf } from "../../parts/days.ts";
import { formatTime } from "../../parts/format.ts";
import type { TurnsSearch } from "./search.ts";

type Range = Pick<TurnsSearch, "from" | "to">;

const HOUR_SECONDS = 3600;
const WEEK_DAYS = 7;

export const RANGES = ["the last hour", "today", "7 days", "this month"] as const;
export type RangeName = (typeof RANGES)[number];

/** The begin of a range, which has no end: what begins later counts too. Days and months are those of a zone. */
export function rangeOf(name: RangeName, zone: string, nowMs = Date.now()): { readonly from: string } {
  const today = dayIn(zone, 0, nowMs);
  const begins: Readonly<Record<RangeName, string>> = {
    "the last hour": timeOf(nowMs / 1000 - HOUR_SECONDS),
    today: localStartOf(today),
    "7 days": localStartOf(dayIn(zone, WEEK_DAYS - 1, nowMs)),
    "this month": localStartOf(`${today.slice(0, "YYYY-MM".length)}-01`),
  };
  return { from: begins[name] };
}

/** The word for a range: one of the names, the times themselves, or null for every time. */
export function nameOfRange({ from, to }: Range, zone: string, nowMs = Date.now()): string | null {
  if (from === undefined && to === undefined) return null;
  const named = RANGES.find((name) => to === undefined && rangeOf(name, zone, nowMs).from === from);
  if (named !== undefined) return named;
  const text = (time: string) => formatTime(secondsOf(time), nowMs).text;
  if (to === undefined) return `since ${text(from ?? "")}`;
  return from === undefined ? `before ${text(to)}` : `${text(from)} to ${text(to)}`;
}
