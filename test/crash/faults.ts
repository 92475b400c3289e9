// How each life of the service ends.
import { type Point, POINTS } from "./points.ts";
import type { Chance } from "./random.ts";

export type Fault =
  /** The service kills itself when it passes a point for the n-th time. */
  | { readonly kind: "point"; readonly point: Point; readonly nth: number }
  /** It is killed that long after it listened. */
  | { readonly kind: "moment"; readonly afterMs: number }
  /** It is killed that long after its process started, usually before it listens. */
  | { readonly kind: "early"; readonly afterMs: number }
  /** SIGTERM that long after it listened: it settles running responses and exits 0. */
  | { readonly kind: "stop"; readonly afterMs: number };

export function describeFault(fault: Fault): string {
  return fault.kind === "point" ? `${fault.point}:${fault.nth}` : `${fault.kind} ${fault.afterMs} ms`;
}

/**
 * An endless sequence of faults: every point once before any repeats, random moments between them, and sometimes an
 * orderly stop.
 */
export function* drawFaults(chance: Chance): Generator<Fault, never> {
  for (;;) {
    const round: Fault[] = POINTS.map((point) => ({ kind: "point", point, nth: chance.between(1, 60) }));
    // Settles again what was just recovered: the next start dies in its own recovery.
    round.push(
      { kind: "point", point: "settle-uncommitted", nth: 1 },
      { kind: "point", point: "settle-committed", nth: 1 },
    );
    for (let count = 0; count < 6; count++) round.push({ kind: "moment", afterMs: chance.between(50, 1500) });
    round.push(
      { kind: "early", afterMs: chance.between(50, 500) },
      { kind: "stop", afterMs: chance.between(300, 1200) },
    );
    yield* chance.shuffle(round);
  }
}
