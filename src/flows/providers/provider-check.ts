// Checks the configured providers for an operator, now and then: no request may flood a provider with questions.
import { ApiError } from "../../contract/errors.ts";
import { PROVIDER_CHECKS_PER_MINUTE } from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AskProviders, ProviderFinding } from "../../ports/provider-check.ts";

/** A check that has ended. */
export interface ProviderCheck {
  readonly atMs: number;
  readonly providers: readonly ProviderFinding[];
}

/**
 * Checks the providers. One check runs at a time in this process; a request meanwhile gets its result. Throws 429
 * `rate_limit_exceeded` above PROVIDER_CHECKS_PER_MINUTE.
 */
export type CheckProviders = () => Promise<ProviderCheck>;

/** Counts the checks of this process, in memory only. */
export function createProviderCheck(
  clock: Pick<Clock, "nowMs" | "monotonicMs">,
  askProviders: AskProviders,
): CheckProviders {
  let running: Promise<ProviderCheck> | null = null;
  let allowance: Allowance | undefined;

  async function check(): Promise<ProviderCheck> {
    const providers = await askProviders();
    return { atMs: clock.nowMs(), providers };
  }

  return async () => {
    if (running !== null) return running;
    const verdict = drawAllowance(allowance, PROVIDER_CHECKS_PER_MINUTE, clock.monotonicMs());
    allowance = verdict.allowance;
    if (!verdict.isGranted) {
      const retryAfterSeconds = Math.ceil(verdict.retryAfterMs / 1000);
      throw new ApiError(
        "rate_limit_exceeded",
        `The providers are checked ${PROVIDER_CHECKS_PER_MINUTE} times a minute at most. Try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    running = check().finally(() => {
      running = null;
    });
    return running;
  };
}
