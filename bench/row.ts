/**
 * A row of the benchmark is one experiment: it starts the sides that it compares, each round measures every side once,
 * and its figures are computed from the rounds. Several figures may come from one experiment.
 */

import type { Family } from "./families.ts";
import type { Child } from "./process/child.ts";

/** The numbers of one measurement by name. */
export type Metrics = Readonly<Record<string, number>>;

/** One side: measured in every round. */
export interface Side {
  readonly name: string;
  readonly measure: (seconds: number) => Promise<Metrics>;
  /** Warms it up, where a measurement would take too long for that; otherwise an uncounted measurement does. */
  readonly warm?: (seconds: number) => Promise<unknown>;
}

/**
 * Warm-up of a side. Services run for weeks, so the speed after JIT compilation counts. It takes some 15,000 turns: the
 * first thousand cost twice as much as later ones, the rest up to then a third more.
 */
export const WARM_SECONDS = 16;

/** Looks up a number of a round, or of the medians. */
export type Read = (side: string, metric: string) => number;

/** No limit: any value will do. */
export const NOT_ASKED = Number.POSITIVE_INFINITY;

export interface Limit {
  readonly firstLanding: number;
  readonly goal: number;
}

export interface Figure {
  /** The id of the figure: `P1`. */
  readonly id: string;
  readonly measure: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  readonly ours: (read: Read) => number;
  /** If given, the figure is our value divided by this one. */
  readonly other?: (read: Read) => number;
  /** The name of that side for the reader. */
  readonly otherName?: string;
  /** Absent: the figure is informative only. */
  readonly limit?: Limit;
}

export interface Experiment {
  readonly sides: readonly Side[];
  /** Warm-up of each side before the first round; 0 for sides that start cold on purpose. */
  readonly warmSeconds: number;
  /** Notes for the report, such as the runtime of a peer. */
  readonly notes?: readonly string[];
}

export interface Row {
  readonly figures: readonly Figure[];
  /** Measuring time of a side in a full round, seconds. */
  readonly seconds: number;
  /** Starts and warms up the sides for the wanted figures. `ids` are the wanted figures. */
  readonly start: (ids: ReadonlySet<string>, stage: Stage) => Promise<Experiment>;
}

/** The environment of every experiment. */
export interface Stage {
  /** Where the fake provider listens. */
  readonly providerPort: number;
  /** The family of providers that Turngate is configured with. */
  readonly family: Family;
  /** Shorter set-ups. */
  readonly isQuick: boolean;
  /** Puts a process into the care of the run, which stops it after the experiment, however that ends. */
  readonly keep: <Kept extends Child>(child: Kept) => Kept;
}
