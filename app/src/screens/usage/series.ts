// Rows of usage as the series of a stacked chart. Whatever is shown, the series add up to the rows.
import type { UsageList, UsageRow } from "../../api/client.ts";
import { daysBetween, monthOf, timeOf } from "../../parts/days.ts";
import { idOf, nameOf, timeNameOf } from "./rows.ts";
import { isMoney, type Metric, subjectsOf, type UsageSearch } from "./search.ts";

/** Groups with a series of their own; the others share one. */
const SERIES_MAX = 8;
const HOUR_SECONDS = 3600;
const NANO = 1e9;

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly total: number;
  /** Of whom the series is; null: of all groups that have none of their own. */
  readonly example: UsageRow | null;
}

/** The names of all times of a range in their order, those without usage included. */
export function timesOf({ every, from, to }: UsageSearch, list: Pick<UsageList, "from" | "to">): readonly string[] {
  if (every === "day") return daysBetween(from, to);
  if (every === "month") return [...new Set(daysBetween(from, to).map(monthOf))];
  if (every === "total" || list.from === null || list.to === null) return [];
  const first = list.from;
  return Array.from({ length: (list.to - first) / HOUR_SECONDS }, (_, index) => timeOf(first + index * HOUR_SECONDS));
}

/** A series for each group, the largest first, with a value for each time. */
export function seriesOf(rows: readonly UsageRow[], search: UsageSearch, times: readonly string[]): readonly Series[] {
  const subjects = subjectsOf(search);
  const groups = groupBy(rows, (row) => groupIdOf(row, search));
  const all = [...groups.values()].map((own) => {
    const [example = null] = own;
    const name = example === null ? "" : subjects.map((subject) => nameOf(example, subject)).join(" · ");
    return { ...sumsOf(own, search, times), name: name === "" ? "all" : name, example };
  });
  const inOrder = all.toSorted((one, other) => other.total - one.total);
  if (inOrder.length <= SERIES_MAX) return inOrder;
  const shown = inOrder.slice(0, SERIES_MAX - 1);
  const ids = new Set(shown.map(({ example }) => example && groupIdOf(example, search)));
  const rest = rows.filter((row) => !ids.has(groupIdOf(row, search)));
  const name = `${inOrder.length - shown.length} others`;
  return [...shown, { ...sumsOf(rest, search, times), name, example: null }];
}

const groupIdOf = (row: UsageRow, search: UsageSearch) =>
  JSON.stringify(subjectsOf(search).map((subject) => idOf(row, subject)));

function groupBy(rows: readonly UsageRow[], nameOfGroup: (row: UsageRow) => string): Map<string, UsageRow[]> {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const name = nameOfGroup(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function sumsOf(rows: readonly UsageRow[], { metric, every }: UsageSearch, times: readonly string[]) {
  const byTime = groupBy(rows, (row) => timeNameOf(row, every));
  return {
    values: times.map((time) => addUp(byTime.get(time) ?? [], metric)),
    total: addUp(rows, metric),
  };
}

/** The sum of a figure. Credits have billionths, which are added as whole numbers: a sum of fractions would differ. */
export function addUp(rows: readonly UsageRow[], metric: Metric): number {
  const unit = isMoney(metric) ? NANO : 1;
  return rows.reduce((sum, row) => sum + Math.round(row[metric] * unit), 0) / unit;
}
