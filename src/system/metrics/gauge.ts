// A gauge: what stands at this moment, asked for when somebody looks.
import type { MetricFamily } from "./sample.ts";

export interface GaugeReading {
  /** Values of its labels, in the order of the names. */
  readonly values: readonly string[];
  readonly value: number;
}

/** Makes a gauge; `read` answers its series. */
export function createGauge(
  name: string,
  help: string,
  labels: readonly string[],
  read: () => readonly GaugeReading[] | Promise<readonly GaugeReading[]>,
): MetricFamily {
  return {
    name,
    help,
    type: "gauge",
    labels,
    async read() {
      const readings = await read();
      return readings.map(({ values, value }) => ({
        suffix: "",
        labels: labels.flatMap((label, index) => [label, values[index] ?? ""]),
        value,
      }));
    },
  };
}

/** The reading of a gauge without labels. */
export function single(value: number): readonly GaugeReading[] {
  return [{ values: [], value }];
}
