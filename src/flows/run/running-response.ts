// The records of a response between its begin and its end: `BegunResponse` has what the response occupies;
// `RunningResponse` adds its output, telemetry and times. What is reported of it: to metrics, traces, the log and the
// content export (docs/observability.md), and to the log of turns (docs/management.md).
import type { FailedAttempt } from "../../contract/resources.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import { type OnResponse, type Provider, UpstreamError } from "../../ports/provider.ts";
import type { Services } from "../../ports/services.ts";
import type { FailureSeries } from "../../ports/store/failures.ts";
import type { RunRecord } from "../../ports/store/responses.ts";
import type { ObservedResponse, ResponseReport, ResponseStart } from "../../ports/telemetry.ts";
import type { SpendingMeter } from "../money/spending-meter.ts";
import type { Reservation } from "../request-context.ts";
import type { OutputReservation } from "./output-capacity.ts";
import type { Run, RunEnd } from "./run.ts";
import type { Slot } from "./slots.ts";
import type { RunOutput } from "./run-output.ts";
import type { TurnTargets } from "./turn-targets.ts";

/**
 * Plans the prompt of a response again, from the history as it is now: with fewer turns after its provider has
 * rejected it as too long, for the `rejections`th time.
 */
export type Replan = (plan: Plan, rejections: number) => Promise<Plan>;

/** Characters of a history that a response holds in memory. */
export interface HistorySize {
  /** Until its provider has the request. */
  readonly sent: number;
  /** Until it ends: what planning it again needs. */
  readonly kept: number;
}

/** The memory that is reserved for a response's history. */
export interface HistoryReservation extends HistorySize {
  readonly reservation: Reservation;
}

/** The tokens a minute that a response has drawn. */
export interface DrawnTokens {
  /** Counts what was used in place of what was drawn. Never rejects. */
  settle(used: number): Promise<void>;
}

/** A response that is stored as begun, with all that it occupies until it ends. */
export interface BegunResponse {
  readonly run: Run;
  readonly plan: Plan;
  /** Plans the prompt again, from the history as it is now; null: the response continues none. */
  readonly replan: Replan | null;
  /** Null: its model has none. */
  readonly targets: TurnTargets | null;
  /** The provider that it was planned with, whatever is configured since. */
  readonly provider: Provider;
  readonly slot: Slot;
  /** Null: neither its key nor its organization has a limit. */
  readonly tokens: DrawnTokens | null;
  /** Null when its model is free. */
  readonly meter: SpendingMeter | null;
  readonly outputReservation: OutputReservation;
  /** Null: what it holds of a history is short. */
  readonly history: HistoryReservation | null;
}

/** A response while it runs. `output` holds its plan, and owns its meter and its reservation: it releases both. */
export interface RunningResponse extends Omit<BegunResponse, "plan" | "provider" | "outputReservation"> {
  /** Replaced when another target is tried. */
  provider: Provider;
  readonly output: RunOutput;
  /** For metrics and traces. */
  readonly observed: ObservedResponse;
  /** For the log of turns. */
  readonly recorder: RunRecorder;
  /** Unix milliseconds. */
  readonly beganMs: number;
}

/** Records what the log of turns keeps of a run: its times, and how its provider responded. */
export class RunRecorder {
  /** Takes the provider's responses; the last one counts. */
  readonly responded: OnResponse;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #begunMs: number;
  #queueMs: number | null = null;
  #firstOutputMs: number | null = null;
  #attempts = 0;
  #calledMs = 0;
  readonly #failed: FailedAttempt[] = [];
  /** The call that failed last, counted from 1. */
  #failedCall = 0;
  #providerStatus: number | null = null;
  #providerRequestId: string | null = null;

  /** Created when the response has begun. */
  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#begunMs = clock.monotonicMs();
    this.responded = ({ status, requestId }) => {
      this.#providerStatus = status;
      this.#providerRequestId = requestId;
    };
  }

  /** The response has its slot. */
  started(): void {
    this.#queueMs = this.#elapsedMs();
  }

  /** The provider is about to be called. */
  called(): void {
    this.#attempts++;
    this.#calledMs = this.#elapsedMs();
    this.#providerStatus = null;
    this.#providerRequestId = null;
  }

  /** The call of a target has failed, and another one may follow. */
  failed(target: string, { code, status, requestId }: UpstreamError): void {
    this.#failedCall = this.#attempts;
    this.#failed.push({
      target,
      code,
      provider_status: status,
      provider_request_id: requestId,
      started_ms: this.#calledMs,
      duration_ms: this.#elapsedMs() - this.#calledMs,
    });
  }

  /** The calls of targets that failed before the last one. */
  failedBefore(): readonly FailedAttempt[] {
    return this.#failedCall === this.#attempts ? this.#failed.slice(0, -1) : this.#failed;
  }

  /** When the last call began, milliseconds. */
  get calledMs(): number {
    return this.#calledMs;
  }

  /** Whether a provider was called. */
  hasCalled(): boolean {
    return this.#attempts > 0;
  }

  /** Output has arrived; only the first call counts. */
  output(): void {
    this.#firstOutputMs ??= this.#elapsedMs();
  }

  /** The record of a response that ends now. */
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

/** The model that figures are counted by: of a wildcard, whose names clients choose, the wildcard itself. */
export function countedModel({ model }: Pick<Plan, "model">): string {
  return model.namedBy ?? model.id;
}

/** The facts about a response that are reported when it begins. */
export function startOf({ caller }: Pick<Run, "caller">, { head, model, prompt }: Plan): ResponseStart {
  return {
    responseId: head.id,
    organizationId: caller.organizationId,
    model: model.id,
    countedModel: countedModel({ model }),
    provider: model.provider,
    upstreamModel: model.upstreamModel,
    conversationId: head.conversationId,
    previousResponseId: head.previousResponseId,
    maxOutputTokens: prompt.maxOutputTokens,
    temperature: prompt.temperature,
    topP: prompt.topP,
  };
}

/**
 * Reports how a run ended; null when its end could not be stored. The log line has the level debug: written always, it
 * would cost 10 µs, a thirtieth of the whole turn.
 */
export function reportEnd(
  { log, clock, contentExport, telemetry }: Pick<Services, "log" | "clock" | "contentExport" | "telemetry">,
  {
    run,
    output: { plan },
    observed,
    recorder,
    beganMs,
  }: Pick<RunningResponse, "run" | "output" | "observed" | "recorder" | "beganMs">,
  end: RunEnd | null,
): void {
  const report = reportOf(end);
  observed.ended(report);
  const failure = failureOf(end, recorder);
  if (failure !== null) telemetry.createFailed({ ...failure, model: countedModel(plan) });
  // Only what is stored is exported.
  if (contentExport !== null && end?.kind === "settled" && end.response.end !== null) {
    contentExport.responseEnded({
      start: startOf(run, plan),
      prompt: plan.prompt,
      output: end.response.end.output,
      report,
      beganMs,
      endedMs: clock.nowMs(),
    });
  }
  log.debug("turn.ended", {
    response_id: run.head.id,
    organization_id: run.caller.organizationId,
    key_id: run.caller.keyId,
    model: run.head.model,
    status: report.status,
    code: report.code,
    input_tokens: report.usage?.input_tokens,
    output_tokens: report.usage?.output_tokens,
  });
}

/** What the store counts too, with the end (store/events/failures.ts); null: it did not fail. */
function failureOf(
  end: RunEnd | null,
  recorder: RunRecorder,
): Pick<FailureSeries, "kind" | "code" | "provider"> | null {
  if (end?.kind === "withdrawn") {
    const { code, cause } = end.error;
    return { kind: "withdrawn", code, provider: cause instanceof UpstreamError ? cause.provider : null };
  }
  const settled = end?.response.end ?? null;
  if (settled?.status === "cancelled" && !recorder.hasCalled()) {
    return { kind: "cancelled", code: "canceled", provider: null };
  }
  if (settled?.error == null) return null;
  return { kind: "failed", code: settled.error.code, provider: settled.failure?.provider ?? null };
}

function reportOf(end: RunEnd | null): ResponseReport {
  if (end?.kind === "withdrawn") {
    return { status: "withdrawn", code: end.error.code, incompleteReason: null, usage: null, charge: null };
  }
  const settled = end?.response.end ?? null;
  if (settled === null) return { status: "lost", code: null, incompleteReason: null, usage: null, charge: null };
  const { status, error, incompleteReason, usage } = settled;
  return { status, code: error?.code ?? null, incompleteReason, usage, charge: end?.charge ?? null };
}
