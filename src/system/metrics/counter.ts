// A counter: plain numbers, turned to text only when somebody looks.
import type { MetricFamily } from "./sample.ts";
import { createSeriesTable, type ValuesOf } from "./series.ts";

export interface Counter<Labels extends readonly string[]> extends MetricFamily {
  /** Adds to the series of these label values, in the order of the names. */
  add(amount: number, ...values: ValuesOf<Labels>): void;
}

/** Makes a counter; each of its series begins with its first addition. */
export function createCounter<const Labels extends readonly string[]>(
  name: string,
  help: string,
  labels: Labels,
): Counter<Labels> {
  const table = createSeriesTable(labels, () => ({ value: 0 }));
  return {
    name,
    help,
    type: "counter",
    labels,
    add(amount, ...values) {
      table.of(...values).value += amount;
    },
    read: () => Array.from(table.all(), ([pairs, { value }]) => ({ suffix: "", labels: pairs, value })),
  };
}
