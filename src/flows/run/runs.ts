// The live runs of this process: find, stop, wait for all.
import { LiveMap } from "../../base/live-map.ts";
import type { Run } from "./run.ts";
import { createSlots, type Slots } from "./slots.ts";

/** A response that is about to begin. */
interface BeginningResponse {
  readonly keyId: string;
  readonly ended: Promise<void>;
  isStopped: boolean;
}

/** The live runs by response id, with their slots. */
export class Runs {
  readonly slots: Slots;
  readonly #live = new LiveMap<string, Run>();
  readonly #idle: (() => void)[] = [];
  readonly #beginning = new Map<string, BeginningResponse>();

  constructor(concurrentMax: number, queuedMax: number) {
    this.slots = createSlots(concurrentMax, queuedMax);
  }

  find(responseId: string): Run | undefined {
    return this.#live.get(responseId);
  }

  /** Whether a response is running here, or about to. */
  has(responseId: string): boolean {
    return this.#live.get(responseId) !== undefined || this.#beginning.has(responseId);
  }

  /** All runs, oldest first. */
  all(): readonly Run[] {
    return this.#live.values();
  }

  /** The runs of one API key. */
  ofKey(keyId: string): readonly Run[] {
    return this.#live.values().filter((run) => run.caller.keyId === keyId);
  }

  /**
   * The runs of one API key, once the responses that are about to begin have begun: the store may have them already.
   */
  async ofKeyOnceBegun(keyId: string): Promise<readonly Run[]> {
    const responses = [...this.#beginning.values()].filter((response) => response.keyId === keyId);
    await Promise.all(responses.map(({ ended }) => ended));
    return this.ofKey(keyId);
  }

  /**
   * Makes a drain wait for a response that is about to begin, until the result is called, which returns whether every
   * run was stopped meanwhile.
   */
  beginning(responseId: string, keyId: string): () => boolean {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const response = { keyId, ended, isStopped: false };
    this.#beginning.set(responseId, response);
    return () => {
      resolve();
      this.#beginning.delete(responseId);
      this.#resolveWhenIdle();
      return response.isStopped;
    };
  }

  add(run: Run): void {
    this.#live.set(run.head.id, run);
  }

  remove(run: Run): void {
    this.#live.take(run.head.id);
    this.#resolveWhenIdle();
  }

  /** Cancels the runs of an organization. */
  cancelOf(organizationId: string): void {
    for (const run of this.#live.values()) if (run.caller.organizationId === organizationId) run.stop("cancelled");
  }

  /** Stops every run, also those that are about to begin; each settles its own turn. */
  stopAll(): void {
    for (const response of this.#beginning.values()) response.isStopped = true;
    for (const run of this.#live.values()) run.stop("shutdown");
  }

  /** Fails every run: their ends will not be stored. */
  failAll(error: unknown): void {
    for (const run of this.#live.values()) run.fail(error);
  }

  /** Resolves when no response is running or about to begin. */
  allEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#resolveWhenIdle();
    });
  }

  #resolveWhenIdle(): void {
    if (this.#live.size > 0 || this.#beginning.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
