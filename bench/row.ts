/**
 * What a row of the benchmark is. A row is one experiment: it starts what it compares (its sides), each round measures
 * every side once, in turn, and its figures are computed from the rounds. Several figures may come from one experiment.
 */

import type { Family } from "./families.ts";
import type { Child } from "./process/child.ts";

/** Numbers of one measurement, by name. */
export type Metrics = Readonly<Record<string, number>>;

/** One thing that is measured in every round. */
export interface Side {
  readonly name: string;
  readonly measure: (seconds: number) => Promise<Metrics>;
  /** Brings it to the speed that it keeps, where measuring it would take too long to; else it is measured, uncounted. */
  readonly warm?: (seconds: number) => Promise<unknown>;
}

/**
 * How long a side is kept busy before it is measured. Services run for weeks: what counts is what they do when the compiler is through
 * with them, which takes it some 15,000 turns of ours: the first thousand cost twice what the later ones do, those up to then a third more.
 */
export const WARM_SECONDS = 16;

/** Looks up one number of a round (or of the medians). */
export type Read = (side: string, metric: string) => number;

/** Where the table of goals has no figure for the first landing: any value will do for it. */
export const NOT_ASKED = Number.POSITIVE_INFINITY;

export interface Limit {
  readonly firstLanding: number;
  readonly goal: number;
}

export interface Figure {
  /** The number in the table of goals: `P1`. */
  readonly id: string;
  readonly measure: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  readonly ours: (read: Read) => number;
  /** When given, the figure is ours divided by this; else it is ours as it stands. */
  readonly other?: (read: Read) => number;
  /** The name of the other, for the reader. */
  readonly otherName?: string;
  /** Without one the figure is there to be read, not judged. */
  readonly limit?: Limit;
}

export interface Experiment {
  readonly sides: readonly Side[];
  /** Every side is warmed for this long before the first round; 0 for sides that start cold by intent. */
  readonly warmSeconds: number;
  /** Remarks for the report, such as which runtime a peer ran on. */
  readonly notes?: readonly string[];
}

export interface Row {
  readonly figures: readonly Figure[];
  /** Seconds that one side is measured for in a full round. */
  readonly seconds: number;
  /** Starts and warms up what the wanted figures need. `ids` are the figures that are wanted. */
  readonly start: (ids: ReadonlySet<string>, stage: Stage) => Promise<Experiment>;
}

/** What every experiment finds in place. */
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
