// The filters that go with a person from one screen of figures to another.
import { addDays, localStartOf } from "../parts/days.ts";
import { defined } from "../parts/defined.ts";
import { LAST_HOUR, readTimes } from "../screens/time-range.ts";
import { DEFAULT_RANGE } from "../screens/usage/day-range.ts";
import { usageOf } from "../screens/turns/usage-of.ts";
import { readText } from "../screens/search.ts";

/** The filters that each screen has besides the time. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  turns: ["model", "key", "member"],
  usage: ["model", "key", "member"],
  errors: ["model", "key"],
  audit: [],
};

const screenOf = (path: string) => /^\/organizations\/([^/]+)\/([a-z]+)$/.exec(path) ?? [];

/** What the screen of a path takes over from the one that is shown: nothing from itself or from another organization. */
export function filtersFor(path: string, shown: { pathname: string; search: Record<string, unknown> }): object {
  const [, organization, from = ""] = screenOf(shown.pathname);
  const [, other, to = ""] = screenOf(path);
  const subjects = SUBJECTS[to];
  if (subjects === undefined || SUBJECTS[from] === undefined || other !== organization || from === to) return {};
  const kept = defined(Object.fromEntries(subjects.map((name) => [name, readText(shown.search[name])])));
  const times = from === "usage" ? timesOfUsage(shown.search) : readTimes(shown.search);
  if (to !== "usage" || Object.keys(times).length === 0) return { ...kept, ...times };
  if ("range" in times) return { ...kept, range: times.range === LAST_HOUR ? "today" : times.range };
  const { from: first, to: last } = usageOf(times);
  return { ...kept, from: first, to: last };
}

/** The days of usage as times of the other screens, which show every time by themselves. */
function timesOfUsage(search: Record<string, unknown>) {
  const { from, to, range } = search;
  if (range === DEFAULT_RANGE) return {};
  if (range !== undefined) return readTimes({ range });
  if (typeof from !== "string" || typeof to !== "string") return {};
  return { from: localStartOf(from), to: localStartOf(addDays(to, 1)) };
}
