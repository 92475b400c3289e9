// Asks the provider, and asks again only where it certainly did not run and nothing was put out. @spec docs/wire.md, rule 14
import type { Usage, Warning } from "../../contract/resources.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import type { Ladder } from "../../core/turn/ladder.ts";
import type { Plan } from "../../core/turn/plan.ts";
import { produced } from "../../core/turn/produced.ts";
import { ProviderFailure, type ProviderPart } from "../../ports/provider.ts";
import type { World } from "../../ports/world.ts";
import { outputCharactersOf } from "./output-characters.ts";
import { createPaidParts } from "../spending/paid-parts.ts";
import type { Run } from "./run.ts";
import type { SpendingMeter } from "../spending/spending-meter.ts";

/** What a provider told of a turn besides its output. */
export interface Received {
  usage: Usage | null;
  state: unknown;
  readonly warnings: Warning[];
  /** Why the model stopped early; null when it ended by itself. */
  incompleteReason: string | null;
  /** Characters put out so far, for what is counted when the provider can't say. */
  outputCharacters: number;
}

export interface Asked {
  /** A ProviderFailure, a SpendingStop, or a fault of our own; null when the model ended, or when the run was stopped. */
  readonly failure: unknown;
  /** Null when no provider was asked. */
  readonly received: Received | null;
}

/** Waits before the second and the third try, milliseconds. */
const RETRY_DELAYS_MS = [100, 400] as const;

/** No tokenizer makes tokens longer than this on average: an output beyond it has passed max_output_tokens for certain. */
const CHARACTERS_PER_TOKEN_MAX = 4 * CHARACTERS_PER_TOKEN;

/** Runs the model; its output climbs the ladder as far as the meter, if there is one, has it paid for. Never rejects. */
export async function askProvider(
  world: World,
  run: Run,
  plan: Plan,
  ladder: Ladder,
  meter: SpendingMeter | null,
): Promise<Asked> {
  const startedMs = world.clock.monotonicMs();
  for (let attempt = 0; ; attempt++) {
    // What an attempt that did not run told is forgotten.
    const received: Received = { usage: null, state: null, warnings: [], incompleteReason: null, outputCharacters: 0 };
    try {
      await askOnce(world, run, plan, ladder, meter, received);
      return { failure: null, received };
    } catch (error) {
      if (error instanceof OutputLimitReached) {
        return { failure: null, received: { ...received, usage: usageAtLimit(plan, received.usage) } };
      }
      if (run.stopReason !== null) return { failure: null, received };
      const delayMs = RETRY_DELAYS_MS[attempt];
      const waitedMs = world.clock.monotonicMs() - startedMs;
      const mayRetry =
        error instanceof ProviderFailure &&
        error.certainlyNotRun &&
        !ladder.hasOutput() &&
        waitedMs < world.limits.non_streaming_wait_seconds * 1000;
      if (!mayRetry || delayMs === undefined) return { failure: error, received };
      world.log.info("provider.retry", {
        response_id: run.head.id,
        provider: plan.model.provider,
        attempt: attempt + 1,
        code: error.code,
        provider_status: error.status,
      });
      await pause(world, run, delayMs);
      if (run.stopReason !== null) return { failure: null, received };
    }
  }
}

/** Thrown inside to stop a provider that does not stop at max_output_tokens, or at what its model can put out. */
class OutputLimitReached extends Error {}

/** What a provider told before it was stopped is no count of its output: that is all it was allowed, which it has passed. */
function usageAtLimit({ promptCharacters, outputTokensMax }: Plan, told: Usage | null): Usage {
  return produced(promptCharacters, outputTokensMax * CHARACTERS_PER_TOKEN, told);
}

async function askOnce(
  world: World,
  run: Run,
  plan: Plan,
  ladder: Ladder,
  meter: SpendingMeter | null,
  received: Received,
): Promise<void> {
  const { model, prompt } = plan;
  const charactersMax = plan.outputTokensMax * CHARACTERS_PER_TOKEN_MAX;
  let fault: unknown = null;
  const stop = (reason: unknown) => {
    fault ??= reason;
    run.abandonProvider();
  };
  const pass = (part: ProviderPart) => take(part, ladder, received);
  const passed = () => {
    if (received.outputCharacters <= charactersMax) return;
    received.incompleteReason = "max_output_tokens";
    throw new OutputLimitReached();
  };
  const isStopped = () => fault !== null || run.stopReason !== null;
  const characters = () => received.outputCharacters;
  const paid = meter === null ? null : createPaidParts({ meter, characters, pass, passed, stop, isStopped });
  const receive = (parts: readonly ProviderPart[]) => {
    if (isStopped()) return;
    try {
      for (const part of parts) {
        if (paid === null) pass(part);
        else paid.take(part);
      }
      passed();
    } catch (error) {
      stop(error);
    }
  };
  const cacheKey = () => world.secrets.hashEndUser(run.caller.organizationId, run.caller.keyId);
  try {
    await world.providers.get(model.provider).run({ model, prompt, cacheKey, signal: run.signal }, receive);
  } catch (error) {
    // What came before it failed is output, once it is paid for.
    await paid?.settled();
    throw fault ?? error;
  }
  await paid?.settled();
  if (fault !== null) throw fault;
}

function take(part: ProviderPart, ladder: Ladder, received: Received): void {
  switch (part.type) {
    case "usage":
      received.usage = part.usage;
      return;
    case "state":
      received.state = part.state;
      return;
    case "warning":
      received.warnings.push({ code: part.code, message: part.message, param: part.param });
      return;
    case "finished":
      received.incompleteReason = part.incompleteReason;
      return;
    default:
      received.outputCharacters += outputCharactersOf(part);
      ladder.climb(part);
  }
}

function pause(world: World, run: Run, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = world.clock.after(milliseconds, resolve);
    run.signal.addEventListener(
      "abort",
      () => {
        stopTimer();
        resolve();
      },
      { once: true },
    );
  });
}
