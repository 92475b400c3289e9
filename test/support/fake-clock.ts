// A clock that a test moves: nothing sleeps.
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

  /** Moves time on, firing what falls due on the way in its order; what a timer starts gets its turn in between. */
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

  #moveTo(monotonicMs: number): void {
    this.#wallMs += Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs = Math.max(this.#monotonicMs, monotonicMs);
  }
}
