// Stacked bars, with the numbers of a bar beside the pointer. The table beside them has the same numbers for people who do
// not see them.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colorsOf } from "./chart-colors.ts";
import { formatCount } from "./format.ts";

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
  /** Of the numbers beside the pointer, which have more room than an axis. */
  readonly formatBeside?: (value: number) => string;
  readonly onPick?: (index: number) => void;
}

/** Steps of an axis of whole numbers: 1, 2, 5, 10, … */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const isWhole = (series: StackedChartProps["series"]): boolean =>
  series.every(({ values }) => values.every(Number.isInteger));

/** The highest bar ends below the upper edge. */
const HEADROOM = 1.08;

export function StackedChart({ label, names, series, format, formatBeside = format, onPick }: StackedChartProps) {
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const target = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  // The chart is drawn again for other data only.
  const handlers = useRef({ onPick });
  handlers.current = { onPick };
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    const ink = scheme === "dark" ? "#c9c9c9" : "#495057";
    const axis = { stroke: ink, font: '12px "Inter Variable"', ticks: { show: false } };
    const grid = { stroke: scheme === "dark" ? "#32343c" : "#e9ecef", width: 1 };
    const colors = colorsOf(scheme);
    const bars = uPlot.paths.bars?.({ size: [0.8, 40] });
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        hooks: { setCursor: [(shown) => setHovered(placeOf(shown))] },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: LABEL_SPACE,
            size: 30,
            incrs: [1, 2, 3, 4, 5, 6, 7, 12, 14, 24, 48, 72, 168, 336, 720],
            values: (_, splits) => splits.map((split) => names[split] ?? ""),
          },
          {
            ...axis,
            grid,
            size: 70,
            ...(isWhole(series) && { incrs: WHOLE_STEPS }),
            values: (_, values) => values.map(values.every(Number.isInteger) ? formatCount : format),
          },
        ],
        scales: {
          x: { time: false, range: [-0.5, names.length - 0.5] },
          y: { range: (_, _min, max) => [0, max > 0 ? max * HEADROOM : 1] },
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
  return (
    <div className="chart-place">
      <div ref={target} className={onPick === undefined ? "" : "chart-links"} role="img" aria-label={label} />
      {hovered !== null && hovered.index < names.length && (
        <Tooltip {...hovered} name={names[hovered.index] ?? ""} series={series} format={formatBeside} />
      )}
    </div>
  );
}

interface Hovered {
  readonly index: number;
  /** Pixels from the left edge of the chart; at the right half from its right edge. */
  readonly left?: number;
  readonly right?: number;
}

/** The bar below the pointer, with its place; null: none. */
function placeOf(chart: uPlot): Hovered | null {
  const { idx: index, left = -1 } = chart.cursor;
  if (index === null || index === undefined || left < 0) return null;
  const middle = chart.over.offsetLeft + chart.valToPos(index, "x");
  return middle < chart.width / 2 ? { index, left: middle + BESIDE } : { index, right: chart.width - middle + BESIDE };
}

/** Between a bar's middle and its numbers, pixels. */
const BESIDE = 16;

function Tooltip({
  index,
  name,
  series,
  format,
  ...place
}: Hovered & { name: string } & Pick<StackedChartProps, "series" | "format">) {
  const colors = colorsOf(useComputedColorScheme());
  const values = series.map((each, at) => ({ name: each.name, value: each.values[index] ?? 0, at }));
  const total = values.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className="chart-tooltip" style={place}>
      <strong>{name}</strong>
      <ul>
        {values
          .filter(({ value }) => value !== 0)
          .map(({ name: of, value, at }) => (
            <li key={of}>
              <span className="swatch" style={{ background: colors[at % colors.length] }} />
              {of} <span>{format(value)}</span>
            </li>
          ))}
        <li>
          all <span>{format(total)}</span>
        </li>
      </ul>
    </div>
  );
}

/** The colours of the series, by their names. */
export function Legend({ series }: Pick<StackedChartProps, "series">) {
  const colors = colorsOf(useComputedColorScheme());
  return (
    <ul className="legend" aria-label="Legend">
      {series.map(({ name }, index) => (
        <li key={name}>
          <span className="swatch" style={{ background: colors[index % colors.length] }} />
          {name}
        </li>
      ))}
    </ul>
  );
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
