// A live run: one response while it runs. Readers watch it and wait for its end; it never refers to them.
//
//   queued ──start──▶ in_progress ──end──▶ settled | withdrawn      fail: the end could not be stored
//
// A run can be withdrawn only while no client knows of its response: `disclose` rules that out for good.
import type { ResponseEvent } from "../../contract/events.ts";
import type { ApiError } from "../../contract/errors.ts";
import type { RunningStatus } from "../../contract/statuses.ts";
import type { StoredResponse, ResponseHead } from "../../core/response/response.ts";
import type { Charge } from "../../ports/store/funds.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";

/** How a run ended: its response was settled, or withdrawn as if it had never begun. */
export type RunEnd =
  | {
      readonly kind: "settled";
      readonly response: StoredResponse;
      /** Null when the response was settled elsewhere. */
      readonly charge: Charge | null;
    }
  | { readonly kind: "withdrawn"; readonly error: ApiError };

/** Why a run is being stopped. */
export type StopReason = "cancelled" | "deadline" | "gave_way" | "shutdown";

/** Receives the events of a run. */
export type RunWatcher = (event: ResponseEvent) => void;

/** What a run starts with. */
export interface RunStart {
  readonly caller: Caller;
  readonly head: ResponseHead;
  readonly status: RunningStatus;
  /** Whether its client reads it as a stream, and so knows of the response from the beginning. */
  readonly isStreamed: boolean;
  /** Whether its request was long: the run then yields to the event loop between its stages. */
  readonly isLong: boolean;
}

/** One response while it runs. Only its own methods change its state. */
export class Run {
  readonly caller: Caller;
  readonly head: ResponseHead;
  readonly isStreamed: boolean;
  readonly isLong: boolean;
  /** Settles once the end of the response is stored; rejects when it could not be stored. */
  readonly ended: Promise<RunEnd>;
  readonly #abort = new AbortController();
  readonly #resolve: (end: RunEnd) => void;
  readonly #reject: (error: unknown) => void;
  readonly #watchers = new Set<RunWatcher>();
  #status: RunningStatus;
  #stopReason: StopReason | null = null;
  #isDisclosed: boolean;
  #isBeingWithdrawn = false;
  #isLate = false;
  #lateReaders: (() => void)[] | null = null;

  constructor({ caller, head, status, isStreamed, isLong }: RunStart) {
    this.caller = caller;
    this.head = head;
    this.isStreamed = isStreamed;
    this.isLong = isLong;
    this.#status = status;
    this.#isDisclosed = isStreamed;
    const { promise, resolve, reject } = Promise.withResolvers<RunEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    // Without a waiting reader a rejection is no fault: the run has logged the error.
    promise.catch(() => {});
  }

  /** The response as it is now, while it runs. */
  get response(): StoredResponse {
    return { head: this.head, status: this.#status, end: null };
  }

  /** Aborted when the provider's connection is to be closed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stopReason(): StopReason | null {
    return this.#stopReason;
  }

  /**
   * Whether the response is being or has been withdrawn, or may have been by a try without an answer: the store may
   * delete it at any moment.
   */
  get isBeingWithdrawn(): boolean {
    return this.#isBeingWithdrawn;
  }

  /** Whether a client knows of the response: it can't be withdrawn any more. */
  get isDisclosed(): boolean {
    return this.#isDisclosed;
  }

  /** A queued run has its slot, and that is stored. */
  start(): void {
    this.#status = "in_progress";
  }

  /** A client is about to learn of the response: from now on every failure is a failed response. */
  disclose(): void {
    this.#isDisclosed = true;
  }

  /** Withdraws the response by `write`. False when the response was disclosed, or when `write` resolves to false. */
  async withdraw(write: () => Promise<boolean>): Promise<boolean> {
    if (this.#isDisclosed) return false;
    this.#isBeingWithdrawn = true;
    this.#isBeingWithdrawn = await write();
    return this.#isBeingWithdrawn;
  }

  /** Closes the provider's connection; the response settles with the output so far. The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#stopReason !== null) return;
    this.#stopReason = reason;
    this.#abort.abort();
  }

  /** Closes the provider's connection because no more of its output can be accepted. */
  abandonProvider(): void {
    this.#abort.abort();
  }

  /** Passes every event from now on to `watcher`, until the result is called. */
  watch(watcher: RunWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Calls back once the store is late with the response's next step: a waiting reader then replies without the end. */
  whenLate(reader: () => void): void {
    if (this.#isLate) reader();
    else (this.#lateReaders ??= []).push(reader);
  }

  /**
   * Settles as `ended` does, but rejects with a StoreError (`unavailable`) once the store is late with the response.
   */
  endedInTime(): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      this.ended.then(resolve, reject);
      this.whenLate(() => reject(new StoreError("unavailable", `The end of ${this.head.id} could not be stored yet.`)));
    });
  }

  /** The store has been out of reach for a while; the write is still being retried. */
  markLate(): void {
    this.#isLate = true;
    for (const reader of this.#lateReaders?.splice(0) ?? []) reader();
  }

  publish(event: ResponseEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  /** Builds an expensive event only if someone is watching. */
  publishIfWatched(build: () => ResponseEvent): void {
    if (this.#watchers.size > 0) this.publish(build());
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
