// What hours, days and months are called.
import type { UsageSearch } from "./search.ts";

/** Hours in the zone that is shown, days as month and day, months as they are. */
export function labelTimes(times: readonly string[], { every, zone }: Pick<UsageSearch, "every" | "zone">): string[] {
  if (every === "day") return times.map((day) => day.slice("YYYY-".length));
  if (every !== "hour") return [...times];
  const parts = { month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, ...parts });
  return times.map((hour) => format.format(Date.parse(hour)));
}
