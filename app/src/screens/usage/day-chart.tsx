// Credits by day, as bars. The table beside it has the same numbers for people who do not see it.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { UsageRow } from "../../api/client.ts";
import { formatCredits } from "../../parts/format.ts";

const HEIGHT = 220;
const DAY_SECONDS = 86_400;

/** Month and day. */
const formatDay = (seconds: number) => new Date(seconds * 1000).toISOString().slice(5, 10);

/** A chart of all the days from `from` to `to`, those without usage included. */
export function DayChart({ rows, from, to }: { rows: readonly UsageRow[]; from: string; to: string }) {
  const target = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    const ink = scheme === "dark" ? "#c9c9c9" : "#495057";
    const bar = scheme === "dark" ? "#4dabf7" : "#1864ab";
    const axis = { stroke: ink, grid: { stroke: scheme === "dark" ? "#3a3a3a" : "#e9ecef" }, ticks: { show: false } };
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
        legend: { show: false },
        cursor: { show: false },
        axes: [
          { ...axis, values: (_, splits) => splits.map(formatDay) },
          { ...axis, size: 70, values: (_, values) => values.map(formatCredits) },
        ],
        scales: {
          x: { range: (_, min, max) => [min - DAY_SECONDS / 2, max + DAY_SECONDS / 2] },
          y: { range: (_, _min, max) => [0, max > 0 ? max : 1] },
        },
        series: [
          {},
          {
            label: "Credits",
            width: 0,
            fill: bar,
            points: { show: false },
            ...(bars === undefined ? {} : { paths: bars }),
          },
        ],
      },
      seriesOf(rows, from, to),
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [rows, from, to, scheme]);
  return <div ref={target} role="img" aria-label={`Credits by day from ${from} to ${to}; the table has the numbers`} />;
}

function seriesOf(rows: readonly UsageRow[], from: string, to: string): [number[], number[]] {
  const byDay = new Map(rows.map((row) => [row.day, row.credits]));
  const days: number[] = [];
  const last = Date.parse(to) / 1000;
  for (let day = Date.parse(from) / 1000; day <= last; day += DAY_SECONDS) days.push(day);
  return [days, days.map((day) => byDay.get(new Date(day * 1000).toISOString().slice(0, 10)) ?? 0)];
}
