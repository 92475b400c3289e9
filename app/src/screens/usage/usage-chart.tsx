// A figure of usage over time, stacked by its groups, with a legend that has their sums.
import { Text, useComputedColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { UsageList } from "../../api/client.ts";
import { colorsOf } from "../../parts/chart-colors.ts";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { Dollars, useMoneyFormat, useMoneyWords } from "../../parts/money.tsx";
import { StackedChart } from "../../parts/stacked-chart.tsx";
import { TurnsLink } from "../turns/turns-link.tsx";
import { timeNameOf, timesOfRow, turnsBehind } from "./rows.ts";
import { isMoney, type Metric, METRICS, type UsageSearch } from "./search.ts";
import { addUp, type Series, seriesOf, timesOf } from "./series.ts";
import { labelTimes } from "./time-label.ts";

export function UsageChart({
  organizationId,
  list,
  search,
}: {
  organizationId: string | null;
  list: UsageList;
  search: UsageSearch;
}) {
  const { metric, every, from, to } = search;
  const navigate = useNavigate();
  const colors = colorsOf(useComputedColorScheme());
  const { times, names, series } = useMemo(() => {
    const all = timesOf(search, list);
    return { times: all, names: labelTimes(all, search), series: seriesOf(list.data, search, all) };
  }, [list, search]);
  const format = formatOf(metric);
  const money = useMoneyFormat();
  const beside = isMoney(metric) ? money : format;
  const moneyWords = useMoneyWords();
  const sum = addUp(list.data, metric);
  const title = METRICS.find(([name]) => name === metric)?.[1] ?? metric;
  const rowsAt = (index: number) => list.data.filter((row) => timeNameOf(row, every) === times[index]);
  // A bar has turns of all its groups.
  const pick = (index: number) => {
    const [row] = rowsAt(index);
    const behind = row === undefined ? null : turnsBehind({}, timesOfRow(row, list), search, organizationId);
    if (behind === null) return;
    const params = { organizationId: behind.organizationId };
    void navigate({ to: "/organizations/$organizationId/turns", params, search: behind.search });
  };
  return (
    <figure className="chart">
      <StackedChart
        label={`${title} by ${every} from ${from} to ${to}; the table has the numbers`}
        names={names}
        series={series}
        format={format}
        formatBeside={beside}
        {...(organizationId === null && search.organization === undefined ? {} : { onPick: pick })}
      />
      <figcaption>
        <ul className="legend" aria-label="Legend">
          {series.map(({ name, total, example }, index) => (
            <li key={name}>
              <span className="swatch" style={{ background: colors[index % colors.length] }} />
              {name}:{" "}
              <Sum
                organizationId={organizationId}
                list={list}
                search={search}
                name={name}
                total={total}
                example={example}
              />
            </li>
          ))}
        </ul>
        <Text size="sm" c="dimmed">
          All:{" "}
          {isMoney(metric)
            ? moneyWords(sum)
            : `${format(sum)} ${title.toLowerCase()}${metric.endsWith("_tokens") ? " tokens" : ""}`}
        </Text>
      </figcaption>
    </figure>
  );
}

/** The sum of a series, which leads to its turns when they are those of one group and one organization. */
function Sum({
  organizationId,
  list,
  search,
  name,
  total,
  example,
}: { organizationId: string | null; list: UsageList; search: UsageSearch } & Pick<
  Series,
  "name" | "total" | "example"
>) {
  const format = formatOf(search.metric);
  const behind = example === null ? null : turnsBehind(example, list, search, organizationId);
  return (
    <>
      {behind === null ? format(total) : <TurnsLink {...behind} subject={name} count={total} format={format} />}
      {isMoney(search.metric) && (
        <>
          {" "}
          <Dollars amount={total} />
        </>
      )}
    </>
  );
}

const formatOf = (metric: Metric) => (isMoney(metric) ? formatCredits : formatCount);
