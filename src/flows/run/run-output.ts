// The output of one response, from the provider's parts to items and events; it owns builder, meter and limits. A part:
//
//   provider ─▶ queue ─▶ paid for? ── yes ─▶ counted ─▶ output builder ─▶ events to the run's watchers
//                            │no                ▲
//                            ▼                  │paid
//                         unpaid ─▶ meter.pay ──┤
//                                               └ nothing pays ─▶ closed with a SpendingStop
//
// After each batch of the queue the limits apply, and memory is reserved. A free response has no meter: its
// parts are counted at once. Parts behind an unpaid one wait with it. While parts wait for money or memory, `receive`
// returns a promise and the provider is read no further. When the output closes early (limit, SpendingStop, fault), the
// provider's connection is closed and later parts are dropped. docs/decisions/money.md, docs/decisions/outputs.md
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import type { ResponseEvent } from "../../contract/events.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { Usage, Warning } from "../../contract/resources.ts";
import type { MintItemId } from "../../core/response/user-turn.ts";
import { createOutputBuilder, type OutputBuilder } from "../../core/response/output-builder.ts";
import type { Plan } from "../../core/response/plan.ts";
import { capOutput, partialUsage, type Produced } from "../../core/response/partial-usage.ts";
import { NOTHING_KEPT, type ProviderPart, type Receive } from "../../ports/provider.ts";
import type { SpendingMeter } from "../money/spending-meter.ts";
import type { SpendingStop } from "../money/spending-stop.ts";
import {
  growthBy,
  isTooLarge,
  OUTPUT_BYTES_MAX,
  outputBytesOf,
  runningBytes,
  settlingBytes,
  STATE_BYTES_MAX,
} from "./output-size.ts";
import type { OutputReservation } from "./output-capacity.ts";
import { type RunFailure, runFailureOf } from "./run-failure.ts";
import { createPartQueue, type PartQueue } from "./part-queue.ts";
import type { Run } from "./run.ts";

/** No tokenizer averages more characters per token: an output beyond that is past max_output_tokens for certain. */
const CHARACTERS_PER_TOKEN_MAX = 4 * CHARACTERS_PER_TOKEN;

/** The most warnings of one response: a provider may cause one with every tool call. */
const WARNINGS_MAX = 100;

/** The facts that a provider reports about a response besides its output. */
export interface ProviderReport {
  usage: Usage | null;
  state: unknown;
  readonly warnings: Warning[];
  /** Why the model stopped early; null when it ended by itself. */
  incompleteReason: string | null;
}

/** The parts that an output is made of; `emit` takes its events. */
export interface RunOutputOptions {
  readonly run: Run;
  readonly plan: Plan;
  /** Null when the model is free. */
  readonly meter: SpendingMeter | null;
  readonly reservation: OutputReservation;
  readonly mint: MintItemId;
  readonly emit: (event: ResponseEvent) => void;
}

/** The output of one response; see the drawing above. */
export class RunOutput {
  /** Takes the provider's parts, in order. */
  readonly receive: Receive;
  /** What the response runs by. Replaced when its prompt is planned again, or for another target. */
  plan: Plan;
  readonly #run: Run;
  readonly #builder: OutputBuilder;
  readonly #meter: SpendingMeter | null;
  readonly #reservation: OutputReservation;
  readonly #queue: PartQueue;
  #report = emptyReport();
  #characters = 0;
  #reasoning = 0;
  #bytes = 0;
  #kept = NOTHING_KEPT;
  #unpaid: ProviderPart[] = [];
  #paying = Promise.resolve();
  #isPaying = false;
  #isClosed = false;
  #failure: RunFailure | null = null;

  constructor({ run, plan, meter, reservation, mint, emit }: RunOutputOptions) {
    this.#run = run;
    this.plan = plan;
    this.#meter = meter;
    this.#reservation = reservation;
    this.#builder = createOutputBuilder(mint, plan.callsMax, emit);
    this.#queue = createPartQueue((parts) => this.#takeBatch(parts));
    this.receive = this.#queue.take;
  }

  /** The reports of the provider so far. */
  get report(): Readonly<ProviderReport> {
    return this.#report;
  }

  /** What has come so far: emitted, or kept by the provider's decoder. */
  get produced(): Produced {
    const { waitingBytes, waitingReasoning, stateBytes } = this.#kept;
    const hasOutput = this.hasBegun() || waitingBytes + stateBytes > 0;
    return { characters: this.#arrived, reasoning: this.#reasoning + waitingReasoning, hasOutput };
  }

  /** Why the output closed early; null when it did not, or when it reached a limit. */
  get failure(): RunFailure | null {
    return this.#failure;
  }

  /** Whether the output closed early: no more parts are accepted. */
  isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether anything was emitted: after that the provider is not called again. */
  hasBegun(): boolean {
    return this.#builder.hasOutput();
  }

  /**
   * Null at once when the hold covers the input and a token of output. Budgets may have left it less: then the rest is
   * paid here, or the response ends before its provider is called.
   */
  payForFirstToken(): Promise<SpendingStop | null> | null {
    const meter = this.#meter;
    return meter === null || meter.covers(1) ? null : meter.pay(1, this.produced);
  }

  /** Drops the reports of an attempt that did not run. */
  restart(): void {
    this.#report = emptyReport();
    this.#characters = 0;
    this.#reasoning = 0;
    this.#bytes = 0;
    this.#kept = NOTHING_KEPT;
  }

  /** Resolves when every part received has been accepted or dropped. */
  async settled(): Promise<void> {
    await this.#queue.settled();
    await this.#paying;
  }

  /** Reserves bytes for the copies that settling the output takes, and waits for them. */
  async reserveToSettle(): Promise<void> {
    await this.#reservation.growTo(settlingBytes(this.#bytes, this.#kept));
  }

  /** Closes the open items, which emits their last events. Returns the output in order. */
  finish(status: "completed" | "incomplete"): OutputItem[] {
    return this.#builder.close(status);
  }

  /** Tool calls beyond the limit: neither returned nor stored. */
  callsDropped(): number {
    return this.#builder.callsDropped();
  }

  /** Called when the response has been settled or withdrawn: frees its money and memory. */
  release(): void {
    this.#meter?.close();
    this.#reservation.close();
  }

  /** Takes one batch of the queue, which passes no more until the returned promise resolves. */
  #takeBatch(parts: readonly ProviderPart[]): Promise<void> | undefined {
    if (this.#isStopped()) return undefined;
    const meter = this.#meter;
    try {
      for (const part of parts) {
        if (meter === null) this.#accept(part, growthBy(part, this.#kept));
        else this.#acceptOncePaid(meter, part);
      }
    } catch (error) {
      this.#closeFor(runFailureOf(error, this.plan.model));
    }
    this.#checkLimits();
    if (this.#isClosed) return undefined;
    const granted = this.#isPaying ? this.#paying : this.#reservation.growTo(runningBytes(this.#bytes, this.#kept));
    return granted === undefined ? undefined : this.#untilStopped(granted);
  }

  #acceptOncePaid(meter: SpendingMeter, part: ProviderPart): void {
    if (this.#unpaid.length === 0 && this.#acceptIfPaid(meter, part)) return;
    this.#unpaid.push(part);
    if (!this.#isPaying) this.#paying = this.#payForUnpaid(meter);
  }

  #acceptIfPaid(meter: SpendingMeter, part: ProviderPart): boolean {
    const growth = growthBy(part, this.#kept);
    if (growth > 0 && !meter.covers(this.#arrived + growth)) return false;
    this.#accept(part, growth);
    if (part.type === "usage") meter.applyUsage(part.usage, this.#arrived);
    return true;
  }

  /** Characters that were emitted or that wait: both are paid for. */
  get #arrived(): number {
    return this.#characters + this.#kept.waitingCharacters;
  }

  /** Never rejects: a failure closes the output. */
  async #payForUnpaid(meter: SpendingMeter): Promise<void> {
    this.#isPaying = true;
    try {
      for (let part = this.#unpaid[0]; part !== undefined && !this.#isStopped(); part = this.#unpaid[0]) {
        const stop = await meter.pay(this.#arrived + growthBy(part, this.#kept), this.produced);
        if (this.#isStopped()) return;
        if (stop !== null) return this.#closeFor(stop);
        const unpaidAt = this.#unpaid.findIndex((next) => !this.#acceptIfPaid(meter, next));
        this.#unpaid = unpaidAt === -1 ? [] : this.#unpaid.slice(unpaidAt);
        this.#checkLimits();
      }
    } catch (error) {
      this.#closeFor(runFailureOf(error, this.plan.model));
    } finally {
      this.#unpaid = [];
      this.#isPaying = false;
    }
  }

  /** Counts a part by which the output grows so much, and passes it on. */
  #accept(part: ProviderPart, growth: number): void {
    switch (part.type) {
      case "usage":
        this.#report.usage = capOutput(part.usage, this.plan.outputTokensMax);
        return;
      case "state": {
        const stateBytes = Buffer.byteLength(JSON.stringify(part.state));
        this.#kept = { ...this.#kept, stateBytes };
        if (stateBytes <= STATE_BYTES_MAX) this.#report.state = part.state;
        return;
      }
      case "kept":
        this.#kept = part;
        return;
      case "warning":
        if (this.#report.warnings.length < WARNINGS_MAX) {
          this.#report.warnings.push({ code: part.code, message: part.message, param: part.param });
        }
        return;
      case "finished":
        this.#report.incompleteReason = part.incompleteReason;
        return;
      default:
        this.#characters += growth;
        if (part.type === "reasoning") this.#reasoning += growth;
        this.#bytes += outputBytesOf(part);
        // A part beyond the limit is left out whole: it may be far longer than one delta.
        if (this.#bytes <= OUTPUT_BYTES_MAX) this.#builder.accept(part);
    }
  }

  /** Closes an output that does not end at max_output_tokens, or at the length that can be stored. */
  #checkLimits(): void {
    if (this.#isClosed) return;
    const { outputTokensMax } = this.plan;
    if (this.#arrived <= outputTokensMax * CHARACTERS_PER_TOKEN_MAX && !isTooLarge(this.#bytes, this.#kept)) return;
    this.#report.incompleteReason = "max_output_tokens";
    // The provider's count, if any, was reported before the limit: the output is counted as all that was allowed.
    const characters = Math.min(this.#arrived, outputTokensMax * CHARACTERS_PER_TOKEN);
    this.#report.usage = partialUsage(this.plan, { ...this.produced, characters }, this.#report.usage);
    this.#closeFor(null);
  }

  /** Closes the output early, and the provider's connection with it. The first failure counts; null is none. */
  #closeFor(failure: RunFailure | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = failure;
    this.#run.abandonProvider();
  }

  #isStopped(): boolean {
    return this.#isClosed || this.#run.stopReason !== null;
  }

  /** Resolves with `granted`, or when the run is stopped and needs nothing any more. */
  #untilStopped(granted: Promise<void>): Promise<void> {
    const { signal } = this.#run;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        signal.removeEventListener("abort", resume);
        resolve();
      };
      signal.addEventListener("abort", resume);
      void granted.then(resume);
    });
  }
}

function emptyReport(): ProviderReport {
  return { usage: null, state: null, warnings: [], incompleteReason: null };
}
