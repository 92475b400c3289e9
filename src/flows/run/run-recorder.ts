// Records what the log of turns keeps of a run: its times, and how its provider responded. docs/management.md
import type { Clock } from "../../ports/clock.ts";
import type { OnResponse } from "../../ports/provider.ts";
import type { RunRecord } from "../../ports/store/turns.ts";

/** The recorder of one run. */
export class RunRecorder {
  /** Takes the provider's responses; the last one counts. */
  readonly responded: OnResponse;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #begunMs: number;
  #queueMs: number | null = null;
  #firstOutputMs: number | null = null;
  #attempts = 0;
  #providerStatus: number | null = null;
  #providerRequestId: string | null = null;

  /** Created when the turn has begun. */
  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#begunMs = clock.monotonicMs();
    this.responded = ({ status, requestId }) => {
      this.#providerStatus = status;
      this.#providerRequestId = requestId;
    };
  }

  /** The turn has its slot. */
  started(): void {
    this.#queueMs = this.#elapsedMs();
  }

  /** The provider is about to be called. */
  called(): void {
    this.#attempts++;
    this.#providerStatus = null;
    this.#providerRequestId = null;
  }

  /** Output has arrived; only the first call counts. */
  output(): void {
    this.#firstOutputMs ??= this.#elapsedMs();
  }

  /** The record of a turn that ends now. */
  finish(): RunRecord {
    return {
      queueMs: this.#queueMs,
      firstOutputMs: this.#firstOutputMs,
      durationMs: this.#elapsedMs(),
      attempts: this.#attempts,
      providerStatus: this.#providerStatus,
      providerRequestId: this.#providerRequestId,
    };
  }

  #elapsedMs(): number {
    return Math.max(0, Math.round(this.#clock.monotonicMs() - this.#begunMs));
  }
}
