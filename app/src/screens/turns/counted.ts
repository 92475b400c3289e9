// Counts of turns as rows of usage, so that the chart above the log shows both alike.
import type { TurnCounts, UsageList } from "../../api/client.ts";
import { addDays, dayIn, monthOf, timeOf } from "../../parts/days.ts";
import type { UsageSearch } from "../usage/search.ts";

type Shown = Pick<UsageSearch, "every" | "from" | "to" | "zone">;

const HOUR_SECONDS = 3600;
/** What usage knows of turns besides, and counts do not. */
const NO_USAGE = {
  input_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  credits: 0,
  cached_share: null,
  saved: 0,
};

/** The times of the days that are shown, which are those of the person's zone, in Unix seconds. */
export const timesOfDays = ({ from, to }: Pick<Shown, "from" | "to">) => ({
  from: beginOf(from),
  to: beginOf(addDays(to, 1)),
});

/** Rows by hour, day or month and by model. */
export function usageOfCounts({ data }: TurnCounts, shown: Shown): UsageList {
  const rows = data.map(({ from, model, turns }) => {
    const day = dayIn(shown.zone, 0, from * 1000);
    return { ...spanOf(from, day, shown), model, responses: turns, ...NO_USAGE };
  });
  return { ...timesOfDays(shown), data: rows };
}

/** The hour, day or month of an hour, by its name, and its times. */
function spanOf(hour: number, day: string, { every }: Shown) {
  if (every === "hour") return { hour: timeOf(hour), from: hour, to: hour + HOUR_SECONDS };
  if (every === "day") return { day, ...timesOfDays({ from: day, to: day }) };
  const first = `${monthOf(day)}-01`;
  const next = `${monthOf(addDays(first, 31))}-01`;
  return { month: monthOf(day), from: beginOf(first), to: beginOf(next) };
}

/** The first second of a day, Unix seconds: a time without a zone is one of the person's. */
const beginOf = (day: string) => Date.parse(`${day}T00:00`) / 1000;
