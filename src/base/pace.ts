// How much work of one kind is done per turn of the event loop. docs/decisions/overload.md

/** Units of work per millisecond of the last turn, within bounds. */
export interface Pace {
  readonly least: number;
  readonly most: number;
  readonly perMs: number;
}

/**
 * The units of work for this turn of the event loop, given the duration of the last one. A fixed number would starve
 * waiting work when turns are long; without an upper bound, long turns would make the next ones longer.
 */
export function paceAfter({ least, most, perMs }: Pace, lastTurnMs: number): number {
  return Math.min(most, Math.max(least, Math.ceil(lastTurnMs * perMs)));
}
