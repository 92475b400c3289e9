// Runs a model with targets: at one after another, until one answers. A turn moves on only before any output, within the
// wait, and after a failure that the model's rule names. docs/wire.md (Targets), docs/decisions/targets.md
import { ApiError } from "../../contract/errors.ts";
import type { FailureCode } from "../../contract/failures.ts";
import {
  type RetryCondition,
  SAFE_CONDITIONS,
  type TargetModel,
  UNSAFE_CONDITIONS,
} from "../../core/models/catalog.ts";
import { pause } from "../../ports/clock.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { Plan } from "../../core/response/plan.ts";
import type { Services } from "../../ports/services.ts";
import type { TargetCall } from "../../ports/telemetry.ts";
import type { Capacity } from "../gateway.ts";
import { callOnce, RETRY_DELAYS_MS, shorten, tooLongFailure, untilHistoryReserved } from "./call-provider.ts";
import { OwnFault, type RunFailure } from "./run-failure.ts";
import type { Run } from "./run.ts";
import type { RunningResponse } from "./running-response.ts";
import { chooseTarget, planUnlessRejected, type TurnTargets } from "./turn-targets.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

type TargetNeeds = Services & Pick<Capacity, "circuits">;

/** What became of the targets in one turn. */
interface Tries {
  readonly tried: Set<TargetModel>;
  /** They are asked no more: they do not take the request, or would fail again. */
  readonly out: Set<TargetModel>;
  /** How often a target was asked that had failed before. */
  repeats: number;
}

/** As callProvider, over the targets of the model. */
export async function callTargets(
  services: TargetNeeds,
  response: RunningResponse,
  targets: TurnTargets,
): Promise<RunFailure | null> {
  const { run, output, recorder } = response;
  const { clock, limits } = services;
  const startedMs = clock.monotonicMs();
  const limitMs = limits.non_streaming_wait_seconds * 1000;
  const isInTime = (waitMs: number) => clock.monotonicMs() - startedMs + waitMs < limitMs;
  const tries: Tries = { tried: new Set(), out: new Set(), repeats: 0 };
  let failure: UpstreamError | null = null;
  for (;;) {
    const next = chooseNext(services, targets, tries, failure === null ? null : isInTime);
    if (next === null) return finalFailure(response, failure);
    const { target, waitMs } = next;
    const planned = await planFor(services, response, targets, target);
    if (planned === null) {
      tries.out.add(target);
      continue;
    }
    if (failure !== null) logRetry(services, run, target, failure);
    // A first call is not put off beyond the wait: there is no failure yet that could be reported instead.
    if (waitMs > 0 && isInTime(waitMs)) await pause(clock, waitMs, run.signal);
    if (run.stopReason !== null) return null;
    if (failure !== null) output.restart();
    if (tries.tried.has(target)) tries.repeats++;
    tries.tried.add(target);
    const ended = await callTarget(services, response, targets, tries, planned);
    if (ended === null || run.stopReason !== null) return null;
    if (!(ended instanceof UpstreamError) || output.hasBegun()) return ended;
    failure = ended;
    if (failure.isPromptTooLong) {
      if (!leaveSmaller(targets, tries, target)) return finalFailure(response, failure);
    } else if (!mayMoveOn(failure, targets, output.produced.hasOutput)) return failure;
    if (failure.isLasting) tries.out.add(target);
    recorder.failed(target.target, failure);
  }
}

/** The last failure, as the response reports it. Null never comes here: the plan is for a target that takes it. */
function finalFailure(response: RunningResponse, failure: UpstreamError | null): UpstreamError {
  if (failure === null) throw new Error("A turn has no target to begin at.");
  return failure.isPromptTooLong ? tooLongFailure(response, failure) : failure;
}

/**
 * The target to ask next, and how long to wait before that; null: none can be asked within the wait. A target that
 * rests is asked when no other is left: no turn fails because of a rest. `isInTime` is null before the first call,
 * which is made however long the wait.
 */
function chooseNext(
  { circuits }: TargetNeeds,
  { ranked }: TurnTargets,
  { tried, out, repeats }: Tries,
  isInTime: ((waitMs: number) => boolean) | null,
): { readonly target: TargetModel; readonly waitMs: number } | null {
  const skipped = new Set(out);
  for (;;) {
    const choice = chooseTarget(circuits, ranked, { tried, out: skipped });
    if (choice === null) return null;
    const { target, isTried, askedForMs } = choice;
    const delayMs = isTried ? RETRY_DELAYS_MS[repeats] : 0;
    const waitMs = Math.max(delayMs ?? 0, askedForMs);
    if (isInTime === null || (delayMs !== undefined && isInTime(waitMs))) return { target, waitMs };
    skipped.add(target);
  }
}

/**
 * The plan of the response for a target; null: the target does not take it. The response keeps the plan of the target
 * that was asked last until this one is asked: it may end before.
 */
async function planFor(
  services: Services,
  response: RunningResponse,
  targets: TurnTargets,
  target: TargetModel,
): Promise<Plan | null> {
  const { plan } = response.output;
  if (plan.model === target && plan.prompt.droppedCharacters === undefined) return plan;
  await untilHistoryReserved(services, response);
  const other = await planUnlessRejected(() => retryWhileUnavailable(services, () => targets.planOn(plan, target)));
  return other instanceof ApiError ? null : other;
}

function logRetry(
  { log }: Services,
  run: Run,
  { target }: TargetModel,
  { code, status, provider }: UpstreamError,
): void {
  log.info("provider.retry", {
    response_id: run.head.id,
    provider,
    code,
    provider_status: status,
    target,
  });
}

/**
 * Calls a target by the plan for it: again with fewer turns, if it finds the prompt too long and no target with a larger
 * window is left. Null, or why it failed.
 */
async function callTarget(
  services: TargetNeeds,
  response: RunningResponse,
  targets: TurnTargets,
  tries: Tries,
  planned: Plan,
): Promise<RunFailure | null> {
  const { run, output, meter, observed } = response;
  const target = planned.model as TargetModel;
  for (let plan = planned, rejections = 1; ; plan = output.plan, rejections++) {
    const hold = targets.holdOf(plan);
    if (hold !== null) meter?.priceBy(hold);
    // A target with a larger window may be sent more than the hold was planned for.
    const unpaid = await output.payForFirstToken();
    if (unpaid !== null || run.stopReason !== null) return unpaid;
    output.plan = plan;
    response.provider = targets.providerOf(target);
    const call = services.circuits.watch(target.target);
    const onFirstOutput = () => {
      call.outputBegan();
      meter?.outputBegan();
    };
    const failure = await callOnce(services, response, onFirstOutput);
    const isOfTarget = run.stopReason === null && !(failure instanceof OwnFault);
    if (isOfTarget) call.ended(failure instanceof UpstreamError ? failure : null);
    call.release();
    observed.targetCalled(targetCallOf(target, isOfTarget && failure instanceof UpstreamError ? failure : null));
    if (!(failure instanceof UpstreamError) || !failure.isPromptTooLong || output.hasBegun()) return failure;
    if (listLarger(targets, tries, target).length > 0 || !(await shorten(services, response, rejections)))
      return failure;
  }
}

function targetCallOf({ target, provider, upstreamModel }: TargetModel, failure: UpstreamError | null): TargetCall {
  return { target, provider, upstreamModel, code: failure?.code ?? null, status: failure?.status ?? null };
}

/** Targets with a larger window that are left. */
function listLarger({ ranked }: TurnTargets, { tried, out }: Tries, than: TargetModel): readonly TargetModel[] {
  return ranked.filter((one) => one.contextWindow > than.contextWindow && !tried.has(one) && !out.has(one));
}

/** After `rejecting` found the prompt too long: leaves out all targets without a larger window. False: none is left. */
function leaveSmaller(targets: TurnTargets, tries: Tries, rejecting: TargetModel): boolean {
  const larger = new Set(listLarger(targets, tries, rejecting));
  for (const target of targets.ranked) if (!larger.has(target)) tries.out.add(target);
  return larger.size > 0;
}

/** `hasOutput`: whether a part of an answer has come, which may wait to be emitted. */
function mayMoveOn(failure: UpstreamError, { retry }: TurnTargets, hasOutput: boolean): boolean {
  return !hasOutput && conditionsOf(failure).some((condition) => retry.has(condition));
}

/** The conditions of the rule that a failure before any output meets. */
function conditionsOf({ status, code, certainlyNotRun, hasRun, isLasting }: UpstreamError): readonly RetryCondition[] {
  if (hasRun) return [];
  if (status === null) return certainlyNotRun ? ["connection"] : [];
  // An error within a response whose status was chosen before the model had room for it.
  if (status < 300) return IN_STREAM.get(code) ?? [];
  // The provider says that a retry would fail the same way, or run the request twice.
  if (status === 503 && !certainlyNotRun) return [];
  return [...SAFE_CONDITIONS, ...(isLasting ? [] : UNSAFE_CONDITIONS)].filter((condition) => condition === status);
}

/** The statuses that such an error stands for. */
const IN_STREAM: ReadonlyMap<FailureCode, readonly RetryCondition[]> = new Map([
  ["provider_rate_limited", [429]],
  ["provider_overloaded", [503, 529]],
]);
