/** Computes a figure from the rounds and judges it against its limits. */
import type { Measured } from "./rounds.ts";
import type { Figure, Read } from "./row.ts";

/** Machines drift by 10 to 25 %: a limit counts as reached at this share of it. */
const TOLERANCE = 0.9;

export type Verdict = "goal" | "first landing" | "below" | "–";

export interface Judged {
  readonly figure: Figure;
  readonly ours: number;
  /** The divisor; undefined when the figure stands alone. */
  readonly other: number | undefined;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
}

/** The figure over all rounds: its value from the medians, its spread from the single rounds. */
export function judge(figure: Figure, measured: Measured): Judged {
  const valueOf = (read: Read): number => figure.ours(read) / (figure.other?.(read) ?? 1);
  const value = valueOf(measured.medians);
  const each = measured.rounds.map(valueOf);
  return {
    figure,
    ours: figure.ours(measured.medians),
    other: figure.other?.(measured.medians),
    value,
    low: Math.min(...each),
    high: Math.max(...each),
    verdict: verdictOf(figure, value),
  };
}

function verdictOf({ better, limit }: Figure, value: number): Verdict {
  if (limit === undefined) return "–";
  const reaches = (wanted: number): boolean =>
    better === "higher" ? value >= wanted * TOLERANCE : value <= wanted / TOLERANCE;
  if (reaches(limit.goal)) return "goal";
  return reaches(limit.firstLanding) ? "first landing" : "below";
}
