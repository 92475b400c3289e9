// The runs under way on this node: find, stop, wait for all.
import { LiveMap } from "../../core/live-map/live-map.ts";
import type { Run } from "./run.ts";
import { createSlots, type Slots } from "./slots.ts";

export class Runs {
  readonly slots: Slots;
  readonly #live = new LiveMap<string, Run>();
  readonly #idle: (() => void)[] = [];
  #beginning = 0;

  constructor(concurrentMax: number, queuedMax: number) {
    this.slots = createSlots(concurrentMax, queuedMax);
  }

  find(responseId: string): Run | undefined {
    return this.#live.get(responseId);
  }

  /** The runs of one API key. */
  ofKey(keyId: string): readonly Run[] {
    return this.#live.values().filter((run) => run.caller.keyId === keyId);
  }

  /** Counts a turn that is being begun, so that a drain waits for it. Calling the result ends that. */
  beginning(): () => void {
    this.#beginning++;
    return () => {
      this.#beginning--;
      this.#tellWhenIdle();
    };
  }

  add(run: Run): void {
    this.#live.set(run.head.id, run);
  }

  remove(run: Run): void {
    this.#live.take(run.head.id);
    this.#tellWhenIdle();
  }

  /** Stops every run; each settles by itself. */
  stopAll(): void {
    for (const run of this.#live.values()) run.stop("shutdown");
  }

  /** Resolves when no turn is running and none is being begun. */
  allEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellWhenIdle();
    });
  }

  #tellWhenIdle(): void {
    if (this.#live.size > 0 || this.#beginning > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
