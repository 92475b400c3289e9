// One turn from begin to settle, detached from whoever asked: start → provider → ladder → settle → terminal event.
// @spec states-and-transitions; docs/architecture.md (The path of POST /v1/responses)
import { Refusal } from "../../contract/errors.ts";
import { type HttpFailureCode, isHttpFailure } from "../../contract/failures.ts";
import { presentEvent, presentResponse } from "../../core/turn/present.ts";
import { createLadder } from "../../core/turn/ladder.ts";
import type { Plan } from "../../core/turn/plan.ts";
import { ProviderFailure } from "../../ports/provider.ts";
import { StoreError } from "../../ports/store.ts";
import type { ObservedTurn } from "../../ports/telemetry.ts";
import type { World } from "../../ports/world.ts";
import { askProvider, type Asked } from "./ask-provider.ts";
import type { PlannedFunds } from "../spending/funds.ts";
import type { Gateway } from "../gateway.ts";
import type { Run, RunEnd } from "./run.ts";
import { settleAsRunFailed } from "./settle-as-run-failed.ts";
import { planSettlement } from "./settlement.ts";
import type { Slot } from "./slots.ts";
import { createSpendingMeter } from "../spending/spending-meter.ts";
import { type SpendingStop, stopBelowStart } from "../spending/spending-stop.ts";
import { terminalEventOf } from "../stream-reply.ts";
import { observeTurn, tellEnd } from "./turn-telemetry.ts";
import { untilStored } from "./until-stored.ts";

/** The money of a turn that has begun. */
export interface Spending {
  readonly funds: PlannedFunds;
  /** What a single response may cost; undefined: there is no limit. */
  readonly responseLimitNano: bigint | undefined;
}

/** Runs a turn that has begun; `spending` is null when its model is free. Never rejects: whatever happens ends in the run. */
export async function runTurn(
  gateway: Gateway,
  run: Run,
  plan: Plan,
  slot: Slot,
  spending: Spending | null,
): Promise<void> {
  const { world } = gateway;
  const observed = observeTurn(world, plan);
  const stopDeadline = world.clock.after(world.limits.turn_seconds * 1000, () => run.stop("deadline"));
  try {
    const end = await runToItsEnd(gateway, run, plan, slot, spending, observed).catch((error: unknown) =>
      endAsFault(world, run, error),
    );
    if (end.kind === "settled") run.publishForWatchers(() => terminalEventOf(end.turn));
    run.end(end);
    tellEnd(world, run, observed, end);
  } catch (error) {
    world.log.error("turn.lost", { response_id: run.head.id }, error);
    tellEnd(world, run, observed, null);
    run.fail(error);
  } finally {
    stopDeadline();
    slot.release();
    gateway.runs.remove(run);
  }
}

/** A turn that could not be settled as it ended is settled as failed, so that it is never stuck. Rejects when that fails too. */
async function endAsFault(world: World, run: Run, error: unknown): Promise<RunEnd> {
  world.log.error("turn.fault", { response_id: run.head.id }, error);
  if (error instanceof StoreError && error.kind === "lost") throw error;
  const end = await settleAsRunFailed(world, run.head, "The turn ended, but not in a way that could be stored.");
  return end === null
    ? readSettled(world, run)
    : { kind: "settled", turn: { head: run.head, status: end.status, end }, charge: null };
}

async function runToItsEnd(
  gateway: Gateway,
  run: Run,
  plan: Plan,
  slot: Slot,
  spending: Spending | null,
  observed: ObservedTurn,
): Promise<RunEnd> {
  const { world } = gateway;
  const ladder = createLadder(
    (kind) => world.ids.mint(kind),
    plan.callsMax,
    (event) => {
      observed.output();
      run.publish(presentEvent(event, run.head.includesEncryptedContent));
    },
  );
  const mayAsk = await start(world, run, slot);
  const stop = mayAsk ? stopBeforeAsking(spending) : null;
  const meter = spending === null ? null : createSpendingMeter(world, plan, spending.funds);
  const asked: Asked =
    mayAsk && stop === null
      ? await observed.asking(() => askProvider(world, run, plan, ladder, meter))
      : { failure: stop, received: null };
  const { failure } = asked;
  if (failure instanceof ProviderFailure && run.stopReason === null) {
    tellFailure(world, run, plan, failure);
    if (isHttpFailure(failure.code) && (await withdraw(world, run))) {
      return { kind: "withdrawn", refusal: refuseFor(failure, failure.code) };
    }
  }
  return settle(gateway, run, plan, asked, ladder);
}

/** One line a turn, whether it is settled as failed or taken back: what an operator needs to put it right, or to ask the provider. */
function tellFailure(world: World, run: Run, plan: Plan, failure: ProviderFailure): void {
  world.log.warn(
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

/** Tells the reader that the turn exists, waits for its slot, marks it dispatched. False when it was stopped before. */
async function start(world: World, run: Run, slot: Slot): Promise<boolean> {
  run.publishForWatchers(() => ({ type: "response.created", response: presentRunning(run) }));
  if (slot.isQueued) {
    run.publishForWatchers(() => ({ type: "response.queued", response: presentRunning(run) }));
    run.signal.addEventListener("abort", () => slot.release(), { once: true });
    if (!(await slot.granted) || run.stopReason !== null) return false;
    // The durable dispatch mark precedes the provider call.
    if (!(await untilStored(world, () => world.store.startTurn({ responseId: run.head.id })))) return false;
    run.status = "in_progress";
  }
  run.publishForWatchers(() => ({ type: "response.in_progress", response: presentRunning(run) }));
  return run.stopReason === null;
}

/** A limit of a single response below its first hold: the turn has started, and ends before its provider is asked. */
function stopBeforeAsking(spending: Spending | null): SpendingStop | null {
  if (spending?.responseLimitNano === undefined) return null;
  const { funds, responseLimitNano } = spending;
  return responseLimitNano < funds.holdNano ? stopBelowStart(responseLimitNano, funds.holdNano) : null;
}

/**
 * Takes the turn back, so that the waiting caller hears of the failure and not of a response. False when the caller waits no longer:
 * nothing of it may vanish then.
 */
function withdraw(world: World, run: Run): Promise<boolean> {
  return untilStored(world, async () => {
    if (!run.mayWithdraw) return false;
    run.isBeingWithdrawn = true;
    try {
      return await world.store.withdrawTurn({ responseId: run.head.id });
    } catch (error) {
      run.isBeingWithdrawn = false;
      throw error;
    }
  });
}

async function settle(
  { world, admission }: Gateway,
  run: Run,
  plan: Plan,
  asked: Asked,
  ladder: ReturnType<typeof createLadder>,
): Promise<RunEnd> {
  const settlement = planSettlement(world, run, plan, asked, ladder);
  // What waits for a store that is out of reach is not at work: it must not keep creates from hearing of that.
  const charge = await untilStored(world, () => admission.finishing(() => world.store.settleTurn(settlement)));
  if (charge === null) return readSettled(world, run);
  if (charge.shortfallNano > 0n) {
    const [shortfall_nano, charged_nano] = [String(charge.shortfallNano), String(charge.chargedNano)];
    world.log.warn("turn.shortfall", { response_id: run.head.id, model: plan.model.id, shortfall_nano, charged_nano });
  }
  const { end } = settlement;
  return { kind: "settled", turn: { head: run.head, status: end.status, end }, charge };
}

/** Somebody else settled it: what is stored counts. */
async function readSettled(world: World, run: Run): Promise<RunEnd> {
  const stored = await world.store.readTurn({ caller: run.caller, responseId: run.head.id });
  if (stored === null) throw new Error(`the turn ${run.head.id} was not running and cannot be read`);
  return { kind: "settled", turn: stored, charge: null };
}

function presentRunning(run: Run) {
  return presentResponse(run.turn, run.head.includesEncryptedContent);
}

function refuseFor(failure: ProviderFailure, code: HttpFailureCode): Refusal {
  const retryAfter = failure.retryAfterSeconds;
  return new Refusal(code, failure.message, {
    cause: failure,
    ...(retryAfter === null ? {} : { retryAfterSeconds: retryAfter }),
  });
}
