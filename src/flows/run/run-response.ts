// One response from begin to settle, detached from the request that began it:
//
//   start (slot, dispatch mark) ─▶ provider ─▶ RunOutput ─▶ settle ─▶ terminal event
//                                                 └─ provider failure, not yet disclosed ─▶ withdraw ─▶ HTTP error
//
// @spec states-and-transitions; docs/architecture.md (The road of POST /v1/responses)
import { ApiError, type ErrorCode } from "../../contract/errors.ts";
import { isHttpFailure } from "../../contract/failures.ts";
import { CallsDeleted } from "../../core/response/plan.ts";
import { presentEvent, presentResponse } from "../../core/response/present.ts";
import { terminalEvent } from "../../core/response/replay.ts";
import type { ResponseEnd } from "../../core/response/response.ts";
import { pause } from "../../ports/clock.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { Charge } from "../../ports/store/funds.ts";
import { endsStore } from "../../ports/store/store.ts";
import { callProvider, dropHistory, untilHistoryReserved } from "./call-provider.ts";
import { callTargets } from "./call-targets.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";
import type { Run, RunEnd } from "./run.ts";
import { type RunFailure, StartDenied } from "./run-failure.ts";
import {
  type BegunResponse,
  countedModel,
  reportEnd,
  RunRecorder,
  type RunningResponse,
  startOf,
} from "./running-response.ts";
import { settleAsRunFailed } from "./settle-without-run.ts";
import { planSettlement } from "./settlement.ts";
import { RunOutput } from "./run-output.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** What a run uses. */
export type RunNeeds = Services & Pick<Capacity, "admission" | "runs" | "circuits" | "isDraining">;

const UNSTORED = "The turn ended, but its end could not be stored.";
/** Time between two tries to settle a response whose end could not be stored. */
const SETTLE_AGAIN_MS = 2000;

/** Runs a response that has begun. Never rejects: every outcome ends the run. */
export async function runResponse(services: RunNeeds, begun: BegunResponse): Promise<void> {
  const { outputReservation, plan, ...kept } = begun;
  const { run, slot, meter } = kept;
  const { clock, ids, limits, log, runs, telemetry } = services;
  const observed = telemetry.responseStarted(startOf(run, plan));
  const beganMs = clock.nowMs();
  const recorder = new RunRecorder(clock);
  const output = new RunOutput({
    run,
    plan,
    meter,
    reservation: outputReservation,
    mint: (kind) => ids.mint(kind),
    emit: (event) => {
      observed.output();
      recorder.output();
      run.publish(presentEvent(event, run.head.includesEncryptedContent));
    },
  });
  const response: RunningResponse = { ...kept, output, observed, recorder, beganMs };
  const stopDeadline = clock.after(limits.turn_seconds * 1000, () => run.stop("deadline"));
  let used: number | null = null;
  let isLost = false;
  try {
    const end = await runToEnd(services, response).catch((error: unknown) => endAsFault(services, response, error));
    if (end.kind === "settled") run.publishIfWatched(() => terminalEvent(presentResponse(end.response)));
    run.end(end);
    reportEnd(services, response, end);
    used = usedTokens(end);
  } catch (error) {
    log.error("turn.lost", { response_id: run.head.id }, error);
    reportEnd(services, response, null);
    run.fail(error);
    isLost = !endsStore(error);
  } finally {
    stopDeadline();
    output.release();
    kept.history?.reservation.shrinkTo(0);
    slot.release();
  }
  // The slot is free by now: the client may send its next create, however long the store takes to count the tokens.
  if (kept.tokens !== null && used !== null) await kept.tokens.settle(used);
  if (isLost) await settleLost(services, run);
  // A drain waits for this.
  runs.remove(run);
}

/** What counts in the tokens a minute: nothing of a response that was withdrawn. */
function usedTokens(end: RunEnd): number {
  const usage = end.kind === "settled" ? end.response.end?.usage : undefined;
  return usage === undefined ? 0 : usage.input_tokens + usage.output_tokens;
}

/**
 * Settles as failed a response that could not be settled as it ended, so that it is never stuck. Rejects if that fails.
 */
async function endAsFault(services: RunNeeds, { run }: RunningResponse, error: unknown): Promise<RunEnd> {
  services.log.error("turn.fault", { response_id: run.head.id }, error);
  if (endsStore(error)) throw error;
  const end = await retryForRun(services, run, () => settleAsRunFailed(services, run.head, UNSTORED));
  return end === null ? readSettled(services, run, null) : settled(run, end, null);
}

/**
 * Settles as failed a response whose end could not be stored, as soon as the store takes that: until then no later turn
 * of its conversation may be able to begin, and its credits are held.
 */
async function settleLost(services: RunNeeds, { head }: Run): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- tried until it succeeds
    await pause(services.clock, SETTLE_AGAIN_MS);
    try {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await settleAsRunFailed(services, head, UNSTORED);
      return;
    } catch (error) {
      // The next start settles it, or another node.
      if (endsStore(error) || services.isDraining()) return;
    }
  }
}

async function runToEnd(services: RunNeeds, response: RunningResponse): Promise<RunEnd> {
  const { run, output } = response;
  const failure = await runModel(services, response);
  let refusal: ApiError | null = null;
  if (failure instanceof UpstreamError && run.stopReason === null) {
    logProviderFailure(services, response, failure);
    refusal = httpErrorOf(failure, output.hasBegun());
    if (refusal !== null && (await withdraw(services, response, refusal.code, failure.provider))) {
      return { kind: "withdrawn", error: refusal };
    }
  }
  await output.reserveToSettle();
  return settle(services, response, failure, refusal);
}

/** Null when the model ended or the run was stopped. Rejects for the store. */
async function runModel(services: RunNeeds, response: RunningResponse): Promise<RunFailure | null> {
  const { run, output, observed, targets } = response;
  try {
    const started = await start(services, response);
    if (started !== "started") return started;
    // Of a model with targets at the prices of the one that is called.
    const unpaid = targets === null ? await output.payForFirstToken() : null;
    if (unpaid !== null || run.stopReason !== null) return unpaid;
    return await observed.providerCall(() =>
      targets === null ? callProvider(services, response) : callTargets(services, response, targets),
    );
  } catch (error) {
    // Noticed wherever the prompt is planned again.
    if (error instanceof CallsDeleted) return error;
    throw error;
  }
}

/**
 * One line for each failed or withdrawn response, with the facts an operator needs to fix the cause or to ask the
 * provider.
 */
function logProviderFailure({ log }: RunNeeds, { run, output }: RunningResponse, failure: UpstreamError): void {
  log.warn(
    "turn.provider_failure",
    {
      response_id: run.head.id,
      model: output.plan.model.id,
      provider: failure.provider,
      code: failure.code,
      provider_status: failure.status,
      provider_request_id: failure.requestId,
    },
    failure,
  );
}

/**
 * Publishes that the response exists, waits for its slot, marks it dispatched. Null when it was stopped before; a
 * StartDenied when it may no longer run.
 */
async function start(services: RunNeeds, response: RunningResponse): Promise<"started" | StartDenied | null> {
  const { run, replan, slot, output, recorder } = response;
  const { store } = services;
  run.publishIfWatched(() => ({ type: "response.created", response: presentResponse(run.response) }));
  if (slot.isQueued) {
    run.publishIfWatched(() => ({ type: "response.queued", response: presentResponse(run.response) }));
    if (response.history !== null) dropHistory(response, response.history);
    run.signal.addEventListener("abort", () => slot.leaveQueue(), { once: true });
    if (!(await slot.granted)) return null;
    await untilHistoryReserved(services, response);
    if (run.stopReason !== null) return null;
    // The durable dispatch mark precedes the provider call.
    const outcome = await retryForRun(services, run, () => store.startResponse({ responseId: run.head.id }));
    // The deletion has not reached the run yet: it may have come through another node.
    if (outcome === "deleted") run.stop("cancelled");
    if (outcome === "ended" || outcome === "deleted") return null;
    if (outcome !== "started") return new StartDenied(outcome);
    run.start();
    // What was deleted while the response was in the queue is not sent.
    if (replan !== null) output.plan = await retryForRun(services, run, () => replan(output.plan, 0));
  }
  recorder.started();
  if (run.isLong) await yieldToEventLoop();
  run.publishIfWatched(() => ({ type: "response.in_progress", response: presentResponse(run.response) }));
  if (run.isLong) await yieldToEventLoop();
  return run.stopReason === null ? "started" : null;
}

/** Withdraws the response: the waiting caller receives an HTTP error and no response. False when it is too late. */
function withdraw(
  services: RunNeeds,
  { run, output }: RunningResponse,
  code: ErrorCode,
  provider: string,
): Promise<boolean> {
  const failure = { code, provider, model: countedModel(output.plan) };
  const { store, limits } = services;
  const withdrawal = { responseId: run.head.id, failure, waitMs: limits.non_streaming_wait_seconds * 1000 };
  return retryForRun(services, run, () => run.withdraw(() => store.withdrawResponse(withdrawal)));
}

/** `refusal`: what the client is told if the response turns out to have been withdrawn. */
async function settle(
  services: RunNeeds,
  response: RunningResponse,
  failure: RunFailure | null,
  refusal: ApiError | null,
): Promise<RunEnd> {
  const { admission, log, store } = services;
  const { run, output } = response;
  const settlement = planSettlement(services, response, failure);
  // Only the write counts against the limit of admission: a settlement that waits for the store must not delay creates.
  const charge = await retryForRun(services, run, () => admission.finishing(() => store.settleResponse(settlement)));
  if (charge === null) return readSettled(services, run, settlement.end, refusal);
  if (charge.shortfallNano > 0n) {
    log.warn("turn.shortfall", {
      response_id: run.head.id,
      model: output.plan.model.id,
      shortfall_nano: String(charge.shortfallNano),
      charged_nano: String(charge.chargedNano),
    });
  }
  return settled(run, settlement.end, charge);
}

function settled({ head }: Run, end: ResponseEnd, charge: Charge | null): RunEnd {
  return { kind: "settled", response: { head, status: end.status, end }, charge };
}

/**
 * The response was settled already, by another node or by an earlier try whose answer was lost: the stored end counts.
 * When the response has been deleted since, its waiting client is told `end`; when it was withdrawn by a try whose answer
 * was lost, `refusal`.
 */
async function readSettled(
  services: RunNeeds,
  run: Run,
  end: ResponseEnd | null,
  refusal: ApiError | null = null,
): Promise<RunEnd> {
  const query = { caller: run.caller, responseId: run.head.id };
  const stored = await retryForRun(services, run, () => services.store.readResponse(query));
  if (stored !== null) return { kind: "settled", response: stored, charge: null };
  if (refusal !== null && run.isBeingWithdrawn) return { kind: "withdrawn", error: refusal };
  if (end === null) throw new Error(`the turn ${run.head.id} was not running and cannot be read`);
  return settled(run, end, null);
}

/**
 * A call of the store that must not be lost. While the store does not take it, waiting readers reply with the response
 * as it is.
 */
function retryForRun<T>(services: RunNeeds, run: Run, call: () => Promise<T>): Promise<T> {
  return retryWhileUnavailable(services, call, () => run.markLate());
}

/** The HTTP error of a provider failure within the wait; null: it is a failed response. */
function httpErrorOf(failure: UpstreamError, hasOutput: boolean): ApiError | null {
  const { code, message, retryAfterSeconds, isLasting } = failure;
  if (failure.isPromptTooLong && !hasOutput) {
    return new ApiError("context_length_exceeded", message, { cause: failure });
  }
  if (!isHttpFailure(code)) return null;
  return new ApiError(code, message, {
    cause: failure,
    isLasting,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  });
}
