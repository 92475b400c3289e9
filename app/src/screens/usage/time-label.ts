// What hours, days and months are called.
import { LOCALE } from "../../parts/locale.ts";
import type { UsageSearch } from "./search.ts";

const OPTIONS = {
  hour: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { day: "numeric", month: "short" },
  month: { month: "short", year: "numeric" },
} as const;

/** The names of hours of the zone that is shown, days or months. */
export function labelTimes(times: readonly string[], { every, zone }: Pick<UsageSearch, "every" | "zone">): string[] {
  if (every === "total") return [...times];
  // A day or a month is one of the calendar, in no zone.
  const format = new Intl.DateTimeFormat(LOCALE, { ...OPTIONS[every], timeZone: every === "hour" ? zone : "UTC" });
  return times.map((time) => format.format(Date.parse(time)));
}
