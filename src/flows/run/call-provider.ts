// Calls the provider, and retries only if it certainly did not run the request and nothing was emitted. docs/wire.md
// (Provider retries)
import { pause } from "../../ports/clock.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { Services } from "../../ports/services.ts";
import type { RunningTurn } from "./running-turn.ts";

/** Delays before the second and the third attempt, milliseconds; a provider that asks for a longer wait gets it. */
const RETRY_DELAYS_MS = [100, 400] as const;

/**
 * Runs the model; its parts go to `output`. Resolves to null when the model ended, reached its output limit or was
 * stopped; else to an UpstreamError, a SpendingStop or a fault of our own. Never rejects.
 */
export async function callProvider(services: Services, turn: RunningTurn): Promise<unknown> {
  const { run, plan, output } = turn;
  const startedMs = services.clock.monotonicMs();
  for (let attempt = 0; ; attempt++) {
    const failure = await callOnce(services, turn);
    if (failure === null || run.stopReason !== null) return null;
    const delayMs = RETRY_DELAYS_MS[attempt];
    if (!(failure instanceof UpstreamError && failure.certainlyNotRun) || output.hasBegun()) return failure;
    const askedMs = (failure.retryAfterSeconds ?? 0) * 1000;
    const elapsedMs = services.clock.monotonicMs() - startedMs;
    const isInTime = elapsedMs + askedMs < services.limits.non_streaming_wait_seconds * 1000;
    if (delayMs === undefined || !isInTime) return failure;
    services.log.info("provider.retry", {
      response_id: run.head.id,
      provider: plan.model.provider,
      attempt: attempt + 1,
      code: failure.code,
      provider_status: failure.status,
    });
    await pause(services.clock, Math.max(delayMs, askedMs), run.signal);
    if (run.stopReason !== null) return null;
    output.restart();
  }
}

/** One attempt: null, or why it failed. */
async function callOnce(services: Services, { run, plan, provider, output, recorder }: RunningTurn): Promise<unknown> {
  const { model, prompt } = plan;
  const { signal } = run;
  const cacheKey = () => services.secrets.hashEndUser(run.caller.organizationId, run.caller.keyId);
  let failure: unknown = null;
  recorder.called();
  try {
    const call = { model, prompt, cacheKey, signal, onResponse: recorder.responded };
    await provider.run(call, output.receive);
  } catch (error) {
    failure = error;
    if (error instanceof UpstreamError && error.status !== null) {
      recorder.responded({ status: error.status, requestId: error.requestId });
    }
  }
  // The parts that came before a failure are output too, once they are paid for.
  await output.settled();
  return output.isClosed() ? output.failure : failure;
}
