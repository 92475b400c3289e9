// Rate limits of sign-in attempts: passwords can be guessed, and checking one is expensive by design.
import { ApiError } from "../../contract/errors.ts";
import {
  SIGN_INS_PER_ADDRESS_MINUTE,
  SIGN_INS_PER_EMAIL_MINUTE,
  SIGN_INS_PER_MINUTE,
} from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/** Allowances kept. The least recently used ones beyond this number are full again, or nearly. */
const REMEMBERED_MAX = 10_000;

/** The sign-in attempts that this process has counted. */
export interface SignInAttempts {
  /**
   * Counts an attempt. Throws 429 `rate_limit_exceeded` above the limit per network address, per e-mail address, or per
   * pair of both. `email` is null for a sign-in link.
   */
  draw(address: string, email: string | null): void;
}

/** Counts the attempts of this process, in memory only. */
export function createSignInAttempts(clock: Pick<Clock, "monotonicMs">): SignInAttempts {
  const allowances = new Map<string, Allowance>();

  function draw(key: string, perMinute: number): void {
    const verdict = drawAllowance(allowances.get(key), perMinute, clock.monotonicMs());
    // Reinserted at the end: the first entry of the map is the least recently used.
    allowances.delete(key);
    allowances.set(key, verdict.allowance);
    if (allowances.size > REMEMBERED_MAX) forgetOldest();
    if (verdict.isGranted) return;
    throw new ApiError("rate_limit_exceeded", "Too many sign-in attempts. Try again later.", {
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
