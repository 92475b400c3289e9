// How often a sign-in may be tried: passwords can be guessed, and checking one costs time and memory by intent.
import { Refusal } from "../../contract/errors.ts";
import {
  SIGN_INS_PER_ADDRESS_MINUTE,
  SIGN_INS_PER_EMAIL_MINUTE,
  SIGN_INS_PER_MINUTE,
} from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/accounts/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/** Whoever has this many others behind him has an allowance that is whole again, or nearly. */
const REMEMBERED_MAX = 10_000;

export interface SignInAttempts {
  /**
   * Refuses 429 `rate_limit_exceeded` what is tried too often: by one address for one e-mail address, by one address at all, for one
   * e-mail address by anybody. `email` is null where none is given.
   */
  draw(address: string, email: string | null): void;
}

/** Attempts of this process; nothing of them is stored. */
export function createSignInAttempts(clock: Pick<Clock, "monotonicMs">): SignInAttempts {
  const allowances = new Map<string, Allowance>();

  function draw(key: string, perMinute: number): void {
    const verdict = drawAllowance(allowances.get(key), perMinute, clock.monotonicMs());
    // Put last: the first of the map is the one that was used least recently.
    allowances.delete(key);
    allowances.set(key, verdict.allowance);
    if (allowances.size > REMEMBERED_MAX) forgetOldest();
    if (verdict.isGranted) return;
    throw new Refusal("rate_limit_exceeded", "Too many sign-ins were tried: wait a moment.", {
      retryAfterSeconds: Math.ceil(verdict.retryAfterMs / 1000),
    });
  }

  function forgetOldest(): void {
    const [oldest] = allowances.keys();
    if (oldest !== undefined) allowances.delete(oldest);
  }

  return {
    draw(address, email) {
      draw(`address ${address}`, SIGN_INS_PER_ADDRESS_MINUTE);
      if (email === null) return;
      draw(`both ${address} ${email}`, SIGN_INS_PER_MINUTE);
      draw(`email ${email}`, SIGN_INS_PER_EMAIL_MINUTE);
    },
  };
}
