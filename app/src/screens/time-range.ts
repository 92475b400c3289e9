// The times that a person chooses: by a word, which the URL keeps, or from one to another.
import { useMemo } from "react";
import { addDays, dayIn, localStartOf, ownZone, readTime, secondsOf, timeOf } from "../parts/days.ts";
import { defined } from "../parts/defined.ts";
import { formatTime } from "../parts/format.ts";
import { DAY_RANGES, daysOf } from "./usage/day-range.ts";

const HOUR_SECONDS = 3600;

export const LAST_HOUR = "the last hour";
export const RANGES = [LAST_HOUR, ...DAY_RANGES] as const;
export type RangeName = (typeof RANGES)[number];

/** Times: the first one, and the first one after. */
export interface Times {
  readonly from?: string;
  readonly to?: string;
}

/** The same in a URL. A word stands for other times each day, so it is kept as a word. */
export interface TimesSearch extends Times {
  readonly range?: RangeName;
}

/** The times of a URL; a range comes before them. */
export function readTimes(search: Record<string, unknown>): TimesSearch {
  const range = RANGES.find((name) => name === search["range"]);
  if (range !== undefined) return { range };
  return defined({ from: readTime(search["from"]), to: readTime(search["to"], true) });
}

/** The times of a range. One that lasts until now has no end: what begins later counts too. Days are those of a zone. */
export function rangeOf(name: RangeName, zone: string, nowMs = Date.now()): Times {
  if (name === LAST_HOUR) return { from: timeOf(nowMs / 1000 - HOUR_SECONDS) };
  const { from, to } = daysOf(name, zone, nowMs);
  return {
    from: localStartOf(from),
    ...(to === dayIn(zone, 0, nowMs) ? {} : { to: localStartOf(addDays(to, 1)) }),
  };
}

/** A search with the times of its range, as they are when it is opened; the days are others on the next day. */
export function useTimes<Search extends TimesSearch>({ range, ...search }: Search): Omit<Search, "range"> {
  const today = dayIn(ownZone());
  // oxlint-disable-next-line exhaustive-deps -- a new day has other times
  const times = useMemo(() => (range === undefined ? {} : rangeOf(range, ownZone())), [range, today]);
  return { ...search, ...times };
}

/** Filters as the interface takes them: their times are Unix seconds. */
export function queryOf<Filters extends Times>({ from, to, ...others }: Filters) {
  const seconds = (time: string | undefined) => (time === undefined ? undefined : secondsOf(time));
  return { ...others, ...defined({ from: seconds(from), to: seconds(to) }) };
}

/** The change that lifts all filters. */
export const clearedOf = (filters: object): Record<string, undefined> =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));

/** Times in words; null for every time. */
export function nameOfTimes({ range, from, to }: TimesSearch, nowMs = Date.now()): string | null {
  if (range !== undefined) return range;
  const text = (time: string) => formatTime(secondsOf(time), nowMs).text;
  if (to === undefined) return from === undefined ? null : `since ${text(from)}`;
  return from === undefined ? `before ${text(to)}` : `${text(from)} to ${text(to)}`;
}
