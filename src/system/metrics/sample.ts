// One metric as it is read at a scrape, in the words of the exposition format.

/** A family of series under one name. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Names of the labels, in the order of a sample's values; a histogram's `le` is not among them. */
  readonly labels: readonly string[];
  /** Its series as they stand now. */
  read(): readonly Sample[] | Promise<readonly Sample[]>;
}

export interface Sample {
  /** What follows the family's name: `_bucket`, `_sum`, `_count`, or nothing. */
  readonly suffix: string;
  /** Names and values in turn; a label with an empty value is the same as no label. */
  readonly labels: readonly string[];
  readonly value: number;
}
