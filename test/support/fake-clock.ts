// A clock that a test advances: nothing sleeps.
import type { Clock } from "../../src/ports/clock.ts";

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

export class FakeClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #timers = new Set<Timer>();

  constructor(wallMs = Date.UTC(2026, 10, 21)) {
    this.#wallMs = wallMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: this.#monotonicMs + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Timers that fire in exactly so many milliseconds. */
  dueIn(milliseconds: number): number {
    return [...this.#timers].filter((timer) => timer.dueMs === this.#monotonicMs + milliseconds).length;
  }

  /** Advances time and fires due timers in order, with a turn of the event loop after each. */
  async advance(milliseconds: number): Promise<void> {
    const untilMs = this.#monotonicMs + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#moveTo(next.dueMs);
      next.callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#moveTo(untilMs);
  }

  /** Sets the wall clock forward or back, as an operator may; timers are not affected. */
  setWall(milliseconds: number): void {
    this.#wallMs += milliseconds;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs = Math.max(this.#monotonicMs, monotonicMs);
  }
}
