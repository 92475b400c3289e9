// Stacked bars. The table beside them has the same numbers for people who do not see them.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colorsOf } from "./chart-colors.ts";

const HEIGHT = 220;
/** Width of a label of the x axis, pixels. */
const LABEL_SPACE = 70;

export interface StackedChartProps {
  readonly label: string;
  /** What the places on the x axis are called. */
  readonly names: readonly string[];
  /** The lowest first. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly format: (value: number) => string;
  /** The place below the pointer; null: none. */
  readonly onHover?: (index: number | null) => void;
  readonly onPick?: (index: number) => void;
}

/** Steps of an axis of whole numbers: 1, 2, 5, 10, … */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const isWhole = (series: StackedChartProps["series"]): boolean =>
  series.every(({ values }) => values.every(Number.isInteger));

export function StackedChart({ label, names, series, format, onHover, onPick }: StackedChartProps) {
  const target = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  // The chart is drawn again for other data only.
  const handlers = useRef({ onHover, onPick });
  handlers.current = { onHover, onPick };
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    const ink = scheme === "dark" ? "#c9c9c9" : "#495057";
    const axis = { stroke: ink, grid: { stroke: scheme === "dark" ? "#3a3a3a" : "#e9ecef" }, ticks: { show: false } };
    const colors = colorsOf(scheme);
    const bars = uPlot.paths.bars?.({ size: [0.8, 40] });
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        hooks: { setCursor: [({ cursor }) => handlers.current.onHover?.(cursor.idx ?? null)] },
        axes: [
          {
            ...axis,
            space: LABEL_SPACE,
            incrs: [1, 2, 3, 4, 5, 6, 7, 12, 14, 24, 48, 72, 168, 336, 720],
            values: (_, splits) => splits.map((split) => names[split] ?? ""),
          },
          {
            ...axis,
            size: 70,
            ...(isWhole(series) && { incrs: WHOLE_STEPS }),
            values: (_, values) => values.map(format),
          },
        ],
        scales: {
          x: { time: false, range: [-0.5, names.length - 0.5] },
          y: { range: (_, _min, max) => [0, max > 0 ? max : 1] },
        },
        series: [
          {},
          ...series
            .map(({ name }, index) => ({
              label: name,
              width: 0,
              fill: colors[index % colors.length] ?? ink,
              points: { show: false },
              ...(bars === undefined ? {} : { paths: bars }),
            }))
            .toReversed(),
        ],
      },
      [names.map((_, index) => index), ...cumulated(series).toReversed()],
      element,
    );
    const pick = () => {
      const { idx } = chart.cursor;
      if (idx !== null && idx !== undefined) handlers.current.onPick?.(idx);
    };
    chart.over.addEventListener("click", pick);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [names, series, format, scheme]);
  return <div ref={target} className={onPick === undefined ? "" : "chart-links"} role="img" aria-label={label} />;
}

/** The upper ends of the bars: each series stands on those before it. The highest is drawn first, behind the others. */
function cumulated(series: StackedChartProps["series"]): number[][] {
  const ends: number[][] = [];
  for (const { values } of series) {
    const below = ends.at(-1);
    ends.push(values.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return ends;
}
