// How much of one kind of work is done in one turn of the event loop. docs/decisions/overload.md

/** So many for each millisecond that the last turn took, within bounds. */
export interface Pace {
  readonly least: number;
  readonly most: number;
  readonly perMs: number;
}

/**
 * How many may be done in this turn when the last one took so long, milliseconds. A fixed number starves what waits when turns are long;
 * without an upper bound long turns make the next ones longer.
 */
export function paceAfter({ least, most, perMs }: Pace, lastTurnMs: number): number {
  return Math.min(most, Math.max(least, Math.ceil(lastTurnMs * perMs)));
}
