/** Counts failures by name. */

export function count(tally: Map<string, number>, name: string, times = 1): void {
  tally.set(name, (tally.get(name) ?? 0) + times);
}

export function total(tally: ReadonlyMap<string, number>): number {
  return [...tally.values()].reduce((sum, times) => sum + times, 0);
}

/** `3 × status 500, 1 × connection lost` */
export function describe(tally: ReadonlyMap<string, number>): string {
  return [...tally].map(([name, times]) => `${times} × ${name}`).join(", ");
}
