// Calls the provider, and retries only if it certainly did not run the request and nothing was emitted. docs/wire.md
// (Provider failures, Provider retries)
import { fractionOf } from "../../base/fraction-of.ts";
import { dropTexts } from "../../core/response/prompt.ts";
import { SHORTENINGS_MAX } from "../../core/response/prompt-tokens.ts";
import { pause } from "../../ports/clock.ts";
import { type ProviderPart, type Receive, UpstreamError } from "../../ports/provider.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Services } from "../../ports/services.ts";
import { type RunFailure, runFailureOf } from "./run-failure.ts";
import type { HistoryReservation, RunningResponse } from "./running-response.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** Delays before the second and the third attempt, milliseconds; a provider that asks for a longer wait gets it. */
export const RETRY_DELAYS_MS = [100, 400] as const;

/**
 * How many cache keys the histories of an API key share. OpenAI advises 15 requests a minute for each, and that
 * requests which share a prompt have the same. docs/decisions/prompt-caching.md
 */
const CACHE_KEYS = 8;

/**
 * Runs the model; its parts go to `output`. Resolves to null when the model ended, reached its output limit or was
 * stopped. Never rejects.
 */
export async function callProvider(services: Services, response: RunningResponse): Promise<RunFailure | null> {
  const { run, output } = response;
  const startedMs = services.clock.monotonicMs();
  let rejections = 0;
  for (let attempt = 0; ; ) {
    const failure = await callOnce(services, response);
    if (failure === null || run.stopReason !== null) return null;
    if (!(failure instanceof UpstreamError) || output.hasBegun()) return failure;
    if (failure.isPromptTooLong) {
      if (await shorten(services, response, ++rejections)) continue;
      return run.stopReason === null ? tooLongFailure(response, failure) : null;
    }
    const delayMs = RETRY_DELAYS_MS[attempt++];
    if (!failure.certainlyNotRun) return failure;
    const askedMs = (failure.retryAfterSeconds ?? 0) * 1000;
    const elapsedMs = services.clock.monotonicMs() - startedMs;
    const isInTime = elapsedMs + askedMs < services.limits.non_streaming_wait_seconds * 1000;
    if (delayMs === undefined || !isInTime) return failure;
    services.log.info("provider.retry", {
      response_id: run.head.id,
      provider: output.plan.model.provider,
      attempt,
      code: failure.code,
      provider_status: failure.status,
    });
    await pause(services.clock, Math.max(delayMs, askedMs), run.signal);
    if (run.stopReason !== null) return null;
    output.restart();
    await restoreHistory(services, response);
  }
}

/** How often a response tries to reserve memory for its history, milliseconds. */
const RESERVE_PAUSE_MS = 250;

/** Drops the texts of the prompt that is not sent now, and gives back their memory: they can be read again. */
export function dropHistory(
  { output: { plan } }: Pick<RunningResponse, "output">,
  { reservation, kept }: HistoryReservation,
): void {
  dropTexts(plan.prompt, plan.promptCharacters);
  reservation.shrinkTo(kept);
}

/** Waits until the whole history is reserved again, or the run is stopped. */
export async function untilHistoryReserved({ clock }: Services, { run, history }: RunningResponse): Promise<void> {
  if (history === null) return;
  const { reservation, sent, kept } = history;
  while (run.stopReason === null && !reservation.tryReserve(sent + kept)) {
    // oxlint-disable-next-line no-await-in-loop -- until others give back theirs
    await pause(clock, RESERVE_PAUSE_MS, run.signal);
  }
}

/** Plans a prompt again whose texts were dropped. */
async function restoreHistory(services: Services, response: RunningResponse): Promise<void> {
  const { output, replan } = response;
  if (output.plan.prompt.droppedCharacters === undefined || replan === null) return;
  await untilHistoryReserved(services, response);
  output.plan = await retryWhileUnavailable(services, () => replan(output.plan, 0));
}

/**
 * Drops the oldest turns of a prompt that the provider has rejected as too long for the `rejections`th time, with
 * `truncation: auto`. False when nothing may be dropped any more.
 */
export async function shorten(services: Services, response: RunningResponse, rejections: number): Promise<boolean> {
  const { run, replan, output } = response;
  const { plan } = output;
  if (run.head.truncation !== "auto" || replan === null || rejections > SHORTENINGS_MAX) return false;
  await untilHistoryReserved(services, response);
  const shorter = await retryWhileUnavailable(services, () => replan(plan, rejections));
  if (shorter.promptCharacters >= plan.promptCharacters) return false;
  services.log.info("provider.prompt_shortened", {
    response_id: run.head.id,
    model: plan.model.id,
    turns_dropped: plan.historyTurns - shorter.historyTurns,
  });
  output.plan = shorter;
  output.restart();
  return true;
}

/** The rejection of a prompt that stays too long, with what the client can do. */
export function tooLongFailure({ run, output: { plan } }: RunningResponse, failure: UpstreamError): UpstreamError {
  const mayDrop = plan.historyTurns > (plan.opensTurn ? 0 : 1);
  const advice = run.head.truncation === "disabled" && mayDrop ? "set truncation to auto, or send less" : "send less";
  const message = `The prompt is longer than ${plan.model.id} takes, by its provider's count: ${advice}. ${failure.message}`;
  return failure.withMessage(message);
}

/** One attempt: null, or why it failed. `onFirstOutput` is called when its first output arrives. */
export async function callOnce(
  services: Pick<Services, "contentExport"> & { readonly secrets: Pick<Secrets, "hashEndUser"> },
  response: Pick<RunningResponse, "run" | "provider" | "output" | "recorder" | "history">,
  onFirstOutput: (() => void) | null = null,
): Promise<RunFailure | null> {
  const { run, provider, output, recorder, history } = response;
  const { model, prompt } = output.plan;
  const { signal } = run;
  // The content export wants the whole prompt at the end.
  const mayDrop = history !== null && services.contentExport === null;
  const onTaken = mayDrop ? () => dropHistory(response, history) : undefined;
  const { organizationId, keyId } = run.caller;
  const thread = run.head.firstResponseId ?? run.head.turnId;
  const share = Math.floor(fractionOf(thread) * CACHE_KEYS);
  const cacheKey = () => services.secrets.hashEndUser(organizationId, `${keyId} ${share}`);
  let failure: RunFailure | null = null;
  recorder.called();
  try {
    const call = { model, prompt, thread, cacheKey, signal, onResponse: recorder.responded, onTaken };
    await provider.run(call, onFirstOutput === null ? output.receive : withFirstOutput(output.receive, onFirstOutput));
  } catch (error) {
    failure = runFailureOf(error, model);
    if (error instanceof UpstreamError && error.status !== null) {
      recorder.responded({ status: error.status, requestId: error.requestId });
    }
  }
  // The parts that came before a failure are output too, once they are paid for.
  await output.settled();
  return output.isClosed() ? output.failure : failure;
}

/** A response may begin with its usage, and then fail: only more than that is output. */
function withFirstOutput(receive: Receive, onFirstOutput: () => void): Receive {
  let hasBegun = false;
  return (parts) => {
    if (!hasBegun && parts.some(isOutput)) {
      hasBegun = true;
      onFirstOutput();
    }
    return receive(parts);
  };
}

function isOutput(part: ProviderPart): boolean {
  if (part.type === "kept") return part.waitingBytes + part.stateBytes > 0;
  return part.type !== "usage" && part.type !== "warning";
}
