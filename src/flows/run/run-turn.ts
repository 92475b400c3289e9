// One turn from begin to settle, detached from the request that began it:
//
//   start (slot, dispatch mark) ─▶ provider ─▶ TurnOutput ─▶ settle ─▶ terminal event
//                                                 └─ provider failure, not yet disclosed ─▶ withdraw ─▶ HTTP error
//
// @spec states-and-transitions; docs/architecture.md (The road of POST /v1/responses)
import { ApiError } from "../../contract/errors.ts";
import { type HttpFailureCode, isHttpFailure } from "../../contract/failures.ts";
import { presentEvent, presentResponse } from "../../core/turn/present.ts";
import type { Plan } from "../../core/turn/plan.ts";
import { type Provider, UpstreamError } from "../../ports/provider.ts";
import { endsStore } from "../../ports/store/store.ts";
import type { ObservedTurn } from "../../ports/telemetry.ts";
import { callProvider } from "./call-provider.ts";
import type { Gateway } from "../gateway.ts";
import { yieldToEventLoop } from "../read-body.ts";
import type { OutputShare } from "./output-room.ts";
import type { Run, RunEnd } from "./run.ts";
import { RunRecorder } from "./run-recorder.ts";
import { settleAsRunFailed } from "./settle-without-run.ts";
import { planSettlement } from "./settlement.ts";
import type { Slot } from "./slots.ts";
import { SpendingMeter, type Spending } from "../money/spending-meter.ts";
import { terminalEventOf } from "../responses/stream-reply.ts";
import { TurnOutput } from "./turn-output.ts";
import { observeTurn, reportEnd } from "./turn-telemetry.ts";
import { untilStored } from "./until-stored.ts";

/** A turn that is stored as begun, with all that it occupies until it ends. */
export interface BegunTurn {
  readonly run: Run;
  readonly plan: Plan;
  /** The provider that it was planned with, whatever is configured since. */
  readonly provider: Provider;
  readonly slot: Slot;
  /** Null when its model is free. */
  readonly spending: Spending | null;
  readonly share: OutputShare;
}

interface RunningTurn extends Pick<BegunTurn, "run" | "plan" | "provider" | "slot"> {
  readonly gateway: Gateway;
  readonly output: TurnOutput;
  readonly observed: ObservedTurn;
  readonly recorder: RunRecorder;
}

/** Runs a turn that has begun. Never rejects: every outcome ends the run. */
export async function runTurn(gateway: Gateway, begun: BegunTurn): Promise<void> {
  const { run, plan, provider, slot, spending, share } = begun;
  const { services } = gateway;
  const telemetry = observeTurn(services, run, plan);
  const { observed } = telemetry;
  const recorder = new RunRecorder(services.clock);
  const output = new TurnOutput({
    run,
    plan,
    meter: spending === null ? null : new SpendingMeter(gateway, { caller: run.caller, plan, spending }),
    share,
    mint: (kind) => services.ids.mint(kind),
    emit: (event) => {
      observed.output();
      recorder.output();
      run.publish(presentEvent(event, run.head.includesEncryptedContent));
    },
  });
  const turn: RunningTurn = { gateway, run, plan, provider, slot, output, observed, recorder };
  const stopDeadline = services.clock.after(services.limits.turn_seconds * 1000, () => run.stop("deadline"));
  try {
    const end = await runToEnd(turn).catch((error: unknown) => endAsFault(turn, error));
    if (end.kind === "settled") run.publishIfWatched(() => terminalEventOf(end.turn));
    run.end(end);
    reportEnd(services, telemetry, end);
  } catch (error) {
    services.log.error("turn.lost", { response_id: run.head.id }, error);
    reportEnd(services, telemetry, null);
    run.fail(error);
  } finally {
    stopDeadline();
    output.release();
    slot.release();
    gateway.runs.remove(run);
  }
}

/** Settles as failed a turn that could not be settled as it ended, so that it is never stuck. Rejects if that fails. */
async function endAsFault(turn: RunningTurn, error: unknown): Promise<RunEnd> {
  const { run, gateway } = turn;
  gateway.services.log.error("turn.fault", { response_id: run.head.id }, error);
  if (endsStore(error)) throw error;
  const message = "The turn ended, but its end could not be stored.";
  const end = await retryWrite(turn, () => settleAsRunFailed(gateway.services, run.head, message));
  return end === null
    ? readSettled(turn)
    : { kind: "settled", turn: { head: run.head, status: end.status, end }, charge: null };
}

async function runToEnd(turn: RunningTurn): Promise<RunEnd> {
  const { run, output } = turn;
  const failure = await runModel(turn);
  if (failure instanceof UpstreamError && run.stopReason === null) {
    logProviderFailure(turn, failure);
    if (isHttpFailure(failure.code) && (await withdraw(turn))) {
      return { kind: "withdrawn", error: httpErrorOf(failure, failure.code) };
    }
  }
  await output.roomToSettle();
  return settle(turn, failure);
}

/**
 * Null when the model ended or the run was stopped; else an UpstreamError, a SpendingStop or a fault of our own.
 * Rejects for the store.
 */
async function runModel(turn: RunningTurn): Promise<unknown> {
  const { gateway, run, output, observed } = turn;
  if (!(await start(turn))) return null;
  const unpaid = await output.payForFirstToken();
  if (unpaid !== null || run.stopReason !== null) return unpaid;
  return observed.providerCall(() => callProvider(gateway.services, turn));
}

/**
 * One line for each failed or withdrawn turn, with the facts an operator needs to fix the cause or to ask the provider.
 */
function logProviderFailure({ gateway, run, plan }: RunningTurn, failure: UpstreamError): void {
  gateway.services.log.warn(
    "turn.provider_failure",
    {
      response_id: run.head.id,
      model: plan.model.id,
      provider: failure.provider,
      code: failure.code,
      provider_status: failure.status,
      provider_request_id: failure.requestId,
    },
    failure,
  );
}

/** Publishes that the turn exists, waits for its slot, marks it dispatched. False when it was stopped before. */
async function start(turn: RunningTurn): Promise<boolean> {
  const { gateway, run, slot, recorder } = turn;
  const { store } = gateway.services;
  run.publishIfWatched(() => ({ type: "response.created", response: presentRunning(run) }));
  if (slot.isQueued) {
    run.publishIfWatched(() => ({ type: "response.queued", response: presentRunning(run) }));
    run.signal.addEventListener("abort", () => slot.leaveQueue(), { once: true });
    if (!(await slot.granted) || run.stopReason !== null) return false;
    // The durable dispatch mark precedes the provider call.
    if (!(await retryWrite(turn, () => store.startTurn({ responseId: run.head.id })))) return false;
    run.start();
  }
  recorder.started();
  if (run.isLong) await yieldToEventLoop();
  run.publishIfWatched(() => ({ type: "response.in_progress", response: presentRunning(run) }));
  if (run.isLong) await yieldToEventLoop();
  return run.stopReason === null;
}

/** Withdraws the turn: the waiting caller receives an HTTP error and no response. False when it is too late. */
function withdraw(turn: RunningTurn): Promise<boolean> {
  const { gateway, run } = turn;
  const { store } = gateway.services;
  return retryWrite(turn, () => run.withdraw(() => store.withdrawTurn({ responseId: run.head.id })));
}

async function settle(turn: RunningTurn, failure: unknown): Promise<RunEnd> {
  const { gateway, run, plan, output, recorder } = turn;
  const { services, admission } = gateway;
  const settlement = planSettlement(services, { run, plan, output, recorder, failure });
  // Only the write counts against the limit of admission: a settlement that waits for the store must not delay creates.
  const charge = await retryWrite(turn, () => admission.finishing(() => services.store.settleTurn(settlement)));
  if (charge === null) return readSettled(turn);
  if (charge.shortfallNano > 0n) {
    services.log.warn("turn.shortfall", {
      response_id: run.head.id,
      model: plan.model.id,
      shortfall_nano: String(charge.shortfallNano),
      charged_nano: String(charge.chargedNano),
    });
  }
  const { end } = settlement;
  return { kind: "settled", turn: { head: run.head, status: end.status, end }, charge };
}

/** The turn was settled elsewhere: the stored end counts. */
async function readSettled({ gateway, run }: RunningTurn): Promise<RunEnd> {
  const stored = await gateway.services.store.readTurn({ caller: run.caller, responseId: run.head.id });
  if (stored === null) throw new Error(`the turn ${run.head.id} was not running and cannot be read`);
  return { kind: "settled", turn: stored, charge: null };
}

/** A write that must not be lost. While the store does not take it, waiting readers reply with the turn as it is. */
function retryWrite<T>({ gateway, run }: RunningTurn, write: () => Promise<T>): Promise<T> {
  return untilStored(gateway.services, write, () => run.markLate());
}

function presentRunning(run: Run) {
  return presentResponse(run.turn);
}

function httpErrorOf(failure: UpstreamError, code: HttpFailureCode): ApiError {
  const { retryAfterSeconds } = failure;
  return new ApiError(code, failure.message, {
    cause: failure,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  });
}
