// The series of a metric by the values of its labels: nested maps, some ten nanoseconds a label. A key made of all of them, as
// prom-client makes it, costs ten times that on every call.

/** The names of some labels and the values of one series, in turn. */
export type LabelPairs = readonly string[];

export interface SeriesTable<Labels extends readonly string[], Series> {
  /** The series of these values, in the order of the names; made at its first use. */
  of(...values: ValuesOf<Labels>): Series;
  /** Every series with its labels. */
  all(): Generator<readonly [labels: LabelPairs, series: Series]>;
}

/** A value for each name. */
export type ValuesOf<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

interface Node<Series> {
  readonly next: Map<string, Node<Series>>;
  series: Series | null;
}

/** Makes an empty table. */
export function createSeriesTable<const Labels extends readonly string[], Series>(
  labels: Labels,
  make: () => Series,
): SeriesTable<Labels, Series> {
  const root: Node<Series> = { next: new Map(), series: null };

  function* walk(node: Node<Series>, named: LabelPairs): Generator<readonly [LabelPairs, Series]> {
    if (node.series !== null) yield [named, node.series];
    const label = labels[named.length / 2] ?? "";
    for (const [value, next] of node.next) yield* walk(next, [...named, label, value]);
  }

  return {
    of(...values) {
      let node = root;
      for (const value of values) {
        let next = node.next.get(value);
        if (next === undefined) {
          next = { next: new Map(), series: null };
          node.next.set(value, next);
        }
        node = next;
      }
      return (node.series ??= make());
    },
    all: () => walk(root, []),
  };
}
