/** Interleaved rounds of an experiment (A B C, A B C, …), so that drift of the machine affects every side alike. */
import { median } from "./load/latency.ts";
import type { Experiment, Metrics, Read } from "./row.ts";

/** One round: the metrics of each side by name. */
type Round = ReadonlyMap<string, Metrics>;

export interface Measured {
  /** Reads from the medians of the rounds. */
  readonly medians: Read;
  /** Reads from each round. */
  readonly rounds: readonly Read[];
  /** The share of its core that each side used, where measured. */
  readonly busy: ReadonlyMap<string, number>;
}

/** Measures every side once per round. `tell` receives progress messages. */
export async function runRounds(
  experiment: Experiment,
  options: {
    readonly rounds: number;
    readonly seconds: number;
    readonly warmSeconds: number;
    readonly tell: (text: string) => void;
  },
): Promise<Measured> {
  const rounds: Round[] = [];
  if (options.warmSeconds > 0) {
    options.tell("warming up");
    for (const { warm, measure } of experiment.sides) await (warm ?? measure)(options.warmSeconds);
  }
  for (let index = 0; index < options.rounds; index++) {
    const round = new Map<string, Metrics>();
    for (const side of experiment.sides) {
      options.tell(`round ${index + 1} of ${options.rounds}: ${side.name}`);
      round.set(side.name, await side.measure(options.seconds));
    }
    rounds.push(round);
  }
  const readers = rounds.map(readerOf);
  return {
    rounds: readers,
    medians: (side, metric) => median(readers.map((read) => read(side, metric))),
    busy: busyShares(experiment, rounds),
  };
}

function busyShares(experiment: Experiment, rounds: readonly Round[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { name } of experiment.sides) {
    const each = rounds.flatMap((round) => round.get(name)?.["busy"] ?? []);
    if (each.length > 0) shares.set(name, median(each));
  }
  return shares;
}

function readerOf(round: Round): Read {
  return (side, metric) => {
    const value = round.get(side)?.[metric];
    if (value === undefined) throw new Error(`no ${metric} was measured of ${side}`);
    return value;
  };
}
