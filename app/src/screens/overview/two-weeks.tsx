// Spending and responses of the last two weeks, by day and model.
import { Paper, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { usageQuery } from "../../api/queries.ts";
import { dayIn, ownZone } from "../../parts/days.ts";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { Credits, useMoneyFormat } from "../../parts/money.tsx";
import { type Metric, readOwnUsageSearch, usageFilterOf } from "../usage/search.ts";
import { addUp, seriesOf, timesOf } from "../usage/series.ts";
import { labelTimes } from "../usage/time-label.ts";

const StackedChart = lazy(async () => ({ default: (await import("../../parts/stacked-chart.tsx")).StackedChart }));
const Legend = lazy(async () => ({ default: (await import("../../parts/stacked-chart.tsx")).Legend }));

const DAYS = 14;
const REFRESH_MS = 30_000;
const TITLES = { credits: "Spent in 14 days", responses: "Responses in 14 days" } as const;

export function TwoWeeks({ organizationId }: { organizationId: string }) {
  return (
    <div className="pair">
      <Days organizationId={organizationId} metric="credits" />
      <Days organizationId={organizationId} metric="responses" />
    </div>
  );
}

function Days({ organizationId, metric }: { organizationId: string; metric: Extract<Metric, keyof typeof TITLES> }) {
  const zone = ownZone();
  const from = dayIn(zone, DAYS - 1);
  const search = useMemo(() => readOwnUsageSearch({ metric, every: "day", from }), [metric, from]);
  const { data: list } = useQuery({
    ...usageQuery(organizationId, usageFilterOf(search)),
    refetchInterval: REFRESH_MS,
  });
  const chart = useMemo(() => {
    if (list === undefined) return null;
    const times = timesOf(search, list);
    // A model has the same colour in both charts.
    const order = seriesOf(list.data, { ...search, metric: "credits" }, times).map(({ name }) => name);
    const placeOf = ({ name }: { name: string }) => (order.includes(name) ? order.indexOf(name) : order.length);
    const series = seriesOf(list.data, search, times).toSorted((one, other) => placeOf(one) - placeOf(other));
    return { names: labelTimes(times, search), series };
  }, [list, search]);
  const money = useMoneyFormat();
  const total = addUp(list?.data ?? [], metric);
  return (
    <Paper withBorder p="md" component="figure" className="chart">
      <figcaption className="chart-head">
        <div>
          <Text size="sm" c="dimmed">
            {TITLES[metric]}
          </Text>
          <div className="figure">{metric === "credits" ? <Credits amount={total} hasUnit /> : formatCount(total)}</div>
        </div>
        <TextLink to="/organizations/$organizationId/usage" params={{ organizationId }} search={search} size="sm">
          {metric === "credits" ? "Usage" : "Usage by responses"}
        </TextLink>
      </figcaption>
      <Suspense fallback={<div className="chart-space" />}>
        {list?.data.length === 0 ? (
          <Text size="sm" c="dimmed">
            No response in these days.
          </Text>
        ) : chart === null ? (
          <div className="chart-space" />
        ) : (
          <>
            <StackedChart
              label={`${TITLES[metric]} by day and model`}
              names={chart.names}
              series={chart.series}
              format={metric === "credits" ? formatCredits : formatCount}
              formatBeside={metric === "credits" ? money : formatCount}
            />
            <Legend series={chart.series} />
          </>
        )}
      </Suspense>
    </Paper>
  );
}
