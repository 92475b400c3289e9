// Counters and histograms on the road of a request. prom-client checks and hashes a record of labels at each call, which
// takes a twentieth of a rejection: these take the values of the labels in order, and only a scrape sees records.
// docs/decisions/performance.md
import type Registry from "prom-client/lib/registry.js";

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/** A value as a scrape shows it. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** The values of the first labels; a series lacks the others. */
type LabelValues = readonly string[];

/** The series whose first labels have these values, and those with one value more. */
interface Node<Kept> {
  readonly next: Map<string, Node<Kept>>;
  kept: Kept | null;
}

/** What is kept of each series of a metric. A tree by the values of the labels: a key of all of them has to be built. */
function createSeries<Kept>({ labelNames }: MetricOptions, create: () => Kept) {
  const root: Node<Kept> = { next: new Map(), kept: null };
  const all: { readonly labels: Sample["labels"]; readonly kept: Kept }[] = [];
  const add = (node: Node<Kept>, values: LabelValues): Kept => {
    const kept = (node.kept = create());
    all.push({ labels: Object.fromEntries(values.map((value, index) => [labelNames[index], value])), kept });
    return kept;
  };
  /** The series of these values; it exists from then on. */
  const at = (values: LabelValues): Kept => {
    let node = root;
    for (const value of values) {
      let next = node.next.get(value);
      if (next === undefined) node.next.set(value, (next = { next: new Map(), kept: null }));
      node = next;
    }
    return node.kept ?? add(node, values);
  };
  // A metric without labels is shown from the start.
  if (labelNames.length === 0) add(root, []);
  return { at, all };
}

/** Shows a metric on a registry, which asks for the samples at each scrape. */
function register({ name, help, registry }: MetricOptions, type: string, read: () => readonly Sample[]): void {
  // prom-client's type names its own classes; a registry only calls `get`.
  const metric = { name, get: async () => ({ name, help, type, values: read() }) };
  registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
}

/** Adds an amount, at least 0, to the series of these labels. */
export type Count = (values: LabelValues, amount?: number) => void;

/** A counter of `registry`. */
export function createCounter(options: MetricOptions): Count {
  const { at, all } = createSeries(options, () => ({ total: 0 }));
  const { name: metricName } = options;
  register(options, "counter", () => all.map(({ labels, kept: { total } }) => ({ metricName, labels, value: total })));
  return (values, amount = 1) => void (at(values).total += amount);
}

/** Counts a value in the series of these labels. */
export type Observe = (values: LabelValues, value: number) => void;

/** A histogram of `registry`, with the upper bounds of its buckets in ascending order. */
export function createHistogram(options: MetricOptions & { readonly buckets: readonly number[] }): Observe {
  const { name, buckets } = options;
  const { at, all } = createSeries(options, () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
  const samples = ({ counts, count, sum }: ReturnType<typeof at>, labels: Sample["labels"]): Sample[] => {
    let below = 0;
    const bucket = (le: number | string, value: number) => ({
      metricName: `${name}_bucket`,
      labels: { le, ...labels },
      value,
    });
    return [
      ...buckets.map((bound, index) => bucket(bound, (below += counts[index] ?? 0))),
      bucket("+Inf", count),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  register(options, "histogram", () => all.flatMap(({ labels, kept }) => samples(kept, labels)));
  return (values, value) => {
    const series = at(values);
    series.count += 1;
    series.sum += value;
    for (let index = 0; index < buckets.length; index++) {
      if (value > (buckets[index] ?? 0)) continue;
      series.counts[index] = (series.counts[index] ?? 0) + 1;
      return;
    }
  };
}
