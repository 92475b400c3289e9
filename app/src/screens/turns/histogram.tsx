// The turns of the filters over time, above their log. The numbers are those of usage, which knows models, keys and members;
// with other filters the turns of the log are counted.
import { Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { usageQuery } from "../../api/queries.ts";
import { turnCountsQuery, turnsQuery } from "../../api/turn-queries.ts";
import { timeOf } from "../../parts/days.ts";
import { formatCount } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { formatDays } from "../usage/day-range.ts";
import { timeNameOf } from "../usage/rows.ts";
import { usageFilterOf } from "../usage/search.ts";
import { seriesOf, timesOf } from "../usage/series.ts";
import { labelTimes } from "../usage/time-label.ts";
import { queryOf } from "../time-range.ts";
import { timesOfDays, usageOfCounts } from "./counted.ts";
import type { TurnsSearch } from "./search.ts";
import { usageOf } from "./usage-of.ts";

const StackedChart = lazy(async () => ({ default: (await import("../../parts/stacked-chart.tsx")).StackedChart }));
const Legend = lazy(async () => ({ default: (await import("../../parts/stacked-chart.tsx")).Legend }));

const REFRESH_MS = 30_000;

/** The turns over time; a bar that is picked narrows the filter to its time. */
export function Histogram({
  organizationId,
  search,
  onPick,
}: {
  organizationId: string;
  search: TurnsSearch;
  onPick: (times: { from: string; to: string }) => void;
}) {
  const { from, to, model, key, member, ...others } = search;
  // The log below reads these pages: what it shows is on the chart too.
  const { data: log } = useInfiniteQuery({ ...turnsQuery(organizationId, queryOf(search)), enabled: false });
  const oldest = log?.pages.at(-1)?.data.at(-1)?.created_at;
  const shown = useMemo(
    () => usageOf({ from, to, model, key, member }, oldest),
    [from, to, model, key, member, oldest],
  );
  const isUsage = Object.keys(others).length === 0;
  const usage = useQuery({
    ...usageQuery(organizationId, usageFilterOf(shown)),
    refetchInterval: REFRESH_MS,
    enabled: isUsage,
  });
  const counts = useQuery({
    ...turnCountsQuery(organizationId, { ...queryOf(search), ...timesOfDays(shown) }),
    refetchInterval: REFRESH_MS,
    enabled: !isUsage,
  });
  const data = useMemo(
    () => (isUsage ? usage.data : counts.data && usageOfCounts(counts.data, shown)),
    [isUsage, usage.data, counts.data, shown],
  );
  const chart = useMemo(() => {
    if (data === undefined || data.data.length === 0) return null;
    const times = timesOf(shown, data);
    return { times, names: labelTimes(times, shown), series: seriesOf(data.data, shown, times) };
  }, [data, shown]);
  if (data === undefined || chart === null) return null;
  const pick = (index: number) => {
    const row = data.data.find((each) => timeNameOf(each, shown.every) === chart.times[index]);
    if (row?.from !== undefined && row.to !== undefined) onPick({ from: timeOf(row.from), to: timeOf(row.to) });
  };
  return (
    <figure className="chart">
      <Suspense fallback={<div className="chart-space" />}>
        <StackedChart
          label={`Responses by ${shown.every} and model from ${shown.from} to ${shown.to}`}
          names={chart.names}
          series={chart.series}
          format={formatCount}
          onPick={pick}
        />
        <Legend series={chart.series} />
      </Suspense>
      <Text size="sm" c="dimmed" component="figcaption">
        {isUsage ? "Ended responses" : "Responses of these filters"} by {shown.every}, {formatDays(shown)}. A bar that
        is clicked becomes the filter.
        {!isUsage && typeof counts.data?.read_from === "number" && (
          <>
            {" "}
            There are too many to read all: earlier ones than <Time at={counts.data.read_from} /> are missing.
          </>
        )}
      </Text>
    </figure>
  );
}
