// What the usage screens show, in their URL.
import { dayIn, isZone, ownZone, readDay } from "../../parts/days.ts";
import { defined } from "../../parts/defined.ts";
import { readText } from "../search.ts";
import { DAY_RANGES, type DayRange, DEFAULT_RANGE, daysOf } from "./day-range.ts";

/** What usage is grouped by besides a time; organizations only on the screen of all. */
export const SUBJECTS = ["model", "key", "member", "organization"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The times of the chart and the table; `total` is none. */
export const TIMES = ["hour", "day", "month", "total"] as const;
export type Time = (typeof TIMES)[number];

/** The figures that a chart shows. */
export const METRICS = [
  ["credits", "Credits"],
  ["responses", "Responses"],
  ["input_tokens", "Input"],
  ["cached_tokens", "Cached"],
  ["cache_write_tokens", "Cache write"],
  ["output_tokens", "Output"],
  ["reasoning_tokens", "Reasoning"],
  ["saved", "Saved by caches"],
] as const;
export type Metric = (typeof METRICS)[number][0];

/** Whether a figure is an amount of credits. */
export const isMoney = (metric: Metric): metric is "credits" | "saved" => metric === "credits" || metric === "saved";

export interface UsageSearch {
  readonly metric: Metric;
  readonly every: Time;
  readonly by: Subject | "none";
  /** A second group. */
  readonly and: Subject | "none";
  /** The word for the days, which are others tomorrow. */
  readonly range?: DayRange;
  /** Days of the zone, both included. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
  readonly organization?: string;
}

const DAYS_SHOWN = 30;

/** The same over all organizations: by default by organization. */
export function readWholeUsageSearch(search: Record<string, unknown>): UsageSearch {
  return readUsageSearch({ by: "organization", ...search });
}

/** The choices of a URL: by default the credits of the last 30 days, by day and model. Whatever is no choice is left out. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const zone = typeof search["zone"] === "string" && isZone(search["zone"]) ? search["zone"] : ownZone();
  const given = { from: readDay(search["from"]), to: readDay(search["to"]) };
  const named = DAY_RANGES.find((name) => name === search["range"]);
  const range = named ?? (given.from === null && given.to === null ? DEFAULT_RANGE : undefined);
  const { from, to } =
    range === undefined
      ? { from: given.from ?? dayIn(zone, DAYS_SHOWN - 1), to: given.to ?? dayIn(zone) }
      : daysOf(range, zone);
  const { by = "model", and = "none" } = search;
  const subject = SUBJECTS.find((each) => each === by) ?? "none";
  const second = SUBJECTS.find((each) => each === and && each !== subject) ?? "none";
  const filters = Object.fromEntries(SUBJECTS.map((name) => [name, readText(search[name])]));
  return {
    metric: METRICS.find(([metric]) => metric === search["metric"])?.[0] ?? "credits",
    // Links of earlier versions name a time as what usage is grouped by.
    every: TIMES.find((time) => time === (search["every"] ?? by)) ?? "day",
    by: subject,
    and: subject === "none" ? "none" : second,
    from: from <= to ? from : to,
    to,
    zone,
    ...defined({ range, ...filters }),
  };
}

/** The same for one organization. */
export function readOwnUsageSearch(search: Record<string, unknown>): UsageSearch {
  const { organization: _, ...own } = readUsageSearch(search);
  const isOfAll = (subject: Subject | "none") => subject === "organization";
  return { ...own, by: isOfAll(own.by) ? "none" : own.by, and: isOfAll(own.and) ? "none" : own.and };
}

/** The groups of a search, without the time. */
export function subjectsOf({ by, and }: UsageSearch): readonly Subject[] {
  return [by, and].filter((subject) => subject !== "none");
}

/** The query of the rows, or of their total. */
export function usageFilterOf(search: UsageSearch, isTotal = false) {
  const { every, from, to, zone, model, key, member, organization } = search;
  const by = [...subjectsOf(search), ...(every === "total" ? [] : [every])];
  return {
    from,
    to,
    zone,
    ...(isTotal || by.length === 0 ? {} : { by: by.join(",") }),
    ...defined({ model, key, member, organization }),
  };
}
