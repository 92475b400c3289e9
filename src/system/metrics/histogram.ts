// A histogram: how many values fell between its bounds, in plain numbers.
import type { MetricFamily, Sample } from "./sample.ts";
import { createSeriesTable, type LabelPairs, type ValuesOf } from "./series.ts";

export interface Histogram<Labels extends readonly string[]> extends MetricFamily {
  /** Notes a value in the series of these label values, in the order of the names. */
  observe(value: number, ...values: ValuesOf<Labels>): void;
}

interface Distribution {
  /** How many values fell up to each bound and above the one before; the last: above them all. */
  readonly counts: Float64Array;
  sum: number;
}

/** Makes a histogram; `bounds` rise. Each of its series begins with its first value. */
export function createHistogram<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
  bounds: readonly number[],
): Histogram<Labels> {
  const table = createSeriesTable(
    labels,
    (): Distribution => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }),
  );
  return {
    name,
    help,
    type: "histogram",
    labels,
    observe(value, ...values) {
      const distribution = table.of(...values);
      distribution.sum += value;
      // Some fifteen bounds: looking at each in turn is quicker than halving.
      let index = 0;
      while (index < bounds.length && value > (bounds[index] ?? Infinity)) index++;
      distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    },
    read: () => Array.from(table.all(), ([pairs, distribution]) => samplesOf(pairs, distribution, bounds)).flat(),
  };
}

/** Buckets are cumulative in the exposition format: each holds those below it. */
function samplesOf(labels: LabelPairs, { counts, sum }: Distribution, bounds: readonly number[]): Sample[] {
  let total = 0;
  const buckets = Array.from(counts, (count, index): Sample => {
    total += count;
    const bound = bounds[index];
    return { suffix: "_bucket", labels: [...labels, "le", bound === undefined ? "+Inf" : String(bound)], value: total };
  });
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}
