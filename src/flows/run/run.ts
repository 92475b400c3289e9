// A live run: one turn while it is running. Readers watch it; nothing that a reader does reaches it.
import type { LadderEvent } from "../../contract/events.ts";
import type { Refusal } from "../../contract/errors.ts";
import type { RunningStatus } from "../../contract/statuses.ts";
import type { Turn, TurnHead } from "../../core/turn/turn.ts";
import type { Charge } from "../../ports/funds.ts";
import type { Caller } from "../../ports/histories.ts";

/** How a run ended: its turn is stored as settled, or was taken back as if it had never begun. */
export type RunEnd =
  | {
      readonly kind: "settled";
      readonly turn: Turn;
      /** What it cost; null when somebody else settled it. */
      readonly charge: Charge | null;
    }
  | { readonly kind: "withdrawn"; readonly refusal: Refusal };

/** Why a run is being stopped. */
export type StopReason = "cancelled" | "deadline" | "shutdown";

export type RunWatcher = (event: LadderEvent) => void;

export class Run {
  readonly caller: Caller;
  readonly head: TurnHead;
  status: RunningStatus;
  /**
   * Whether one of the three provider failures may still take the turn back: a non-streaming caller is waiting for its answer.
   * False from the moment on when a client has heard of the response.
   */
  mayWithdraw: boolean;
  /** Whether it is being taken back: what the store has of it may be gone the next moment. */
  isBeingWithdrawn = false;
  /** Settles when the turn has ended and that is stored; rejects when its end could not be stored. */
  readonly ended: Promise<RunEnd>;
  readonly #abort = new AbortController();
  readonly #resolve: (end: RunEnd) => void;
  readonly #reject: (error: unknown) => void;
  readonly #watchers = new Set<RunWatcher>();
  #stopReason: StopReason | null = null;

  constructor(caller: Caller, head: TurnHead, status: RunningStatus, mayWithdraw: boolean) {
    this.caller = caller;
    this.head = head;
    this.status = status;
    this.mayWithdraw = mayWithdraw;
    const { promise, resolve, reject } = Promise.withResolvers<RunEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    // Whoever waits sees a rejection; a run that nobody waits for has logged it already.
    promise.catch(() => {});
  }

  /** The turn as it is now, while it runs. */
  get turn(): Turn {
    return { head: this.head, status: this.status, end: null };
  }

  /** Aborted when the provider's connection is to close. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stopReason(): StopReason | null {
    return this.#stopReason;
  }

  /** Stops it: the provider's connection closes at once, the turn settles with what was produced. The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#abort.abort();
  }

  /** Closes the provider's connection because of what it sent; the turn then ends by what its asker makes of that. */
  abandonProvider(): void {
    this.#abort.abort();
  }

  /** Sees every event from now on. Calling the result ends it. */
  watch(watcher: RunWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  publish(event: LadderEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  /** Publishes an event that is dear to make: it is made for those who watch, if anybody does. */
  publishForWatchers(make: () => LadderEvent): void {
    if (this.#watchers.size > 0) this.publish(make());
  }

  end(end: RunEnd): void {
    this.#resolve(end);
    this.#watchers.clear();
  }

  fail(error: unknown): void {
    this.#reject(error);
    this.#watchers.clear();
  }
}
