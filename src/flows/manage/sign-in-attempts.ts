// Rate limits of sign-in attempts: passwords can be guessed, and checking one is expensive by design.
import { ApiError } from "../../contract/errors.ts";
import {
  SIGN_INS_PER_ADDRESS_MINUTE,
  SIGN_INS_PER_EMAIL_MINUTE,
  SIGN_INS_PER_MINUTE,
} from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * Allowances kept of network addresses, and as many of e-mail addresses. Those of e-mail addresses have a map of their own:
 * attempts from many addresses, which cost nothing when they are for links, must not push them out.
 */
const REMEMBERED_MAX = 10_000;

/** The sign-in attempts that this process has counted. */
export interface SignInAttempts {
  /**
   * Counts an attempt. Throws 429 `rate_limit_exceeded` above the limit per network address (of IPv6: the first 64 bits),
   * per e-mail address, or per pair of both. `email` is null for a sign-in link.
   */
  draw(address: string, email: string | null): void;
}

/** Counts the attempts of this process, in memory only. */
export function createSignInAttempts(clock: Pick<Clock, "monotonicMs">): SignInAttempts {
  const ofNetworks = new Map<string, Allowance>();
  const ofEmails = new Map<string, Allowance>();

  function draw(allowances: Map<string, Allowance>, key: string, perMinute: number): void {
    const verdict = drawAllowance(allowances.get(key), perMinute, clock.monotonicMs());
    // Reinserted at the end: the first entry of the map is the least recently used.
    allowances.delete(key);
    allowances.set(key, verdict.allowance);
    if (allowances.size > REMEMBERED_MAX) forgetOldest(allowances);
    if (verdict.isGranted) return;
    throw new ApiError("rate_limit_exceeded", "Too many sign-in attempts. Try again later.", {
      retryAfterSeconds: Math.ceil(verdict.retryAfterMs / 1000),
    });
  }

  function forgetOldest(allowances: Map<string, Allowance>): void {
    const [oldest] = allowances.keys();
    if (oldest !== undefined) allowances.delete(oldest);
  }

  return {
    draw(address, email) {
      const network = networkOf(address);
      draw(ofNetworks, network, SIGN_INS_PER_ADDRESS_MINUTE);
      if (email === null) return;
      draw(ofNetworks, `${network} ${email}`, SIGN_INS_PER_MINUTE);
      draw(ofEmails, email, SIGN_INS_PER_EMAIL_MINUTE);
    },
  };
}

/**
 * Whoever has one IPv6 address has its whole network of 64 bits, more addresses than anybody can count: its first four
 * groups stand for all of them. An IPv4 address stands for itself, also in its IPv6 form.
 */
function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? "").split(":")];
  return `${all.slice(0, 4).join(":")}::/64`;
}
