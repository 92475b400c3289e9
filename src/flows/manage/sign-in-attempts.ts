// Rate limits of sign-in attempts: passwords can be guessed, and checking one is expensive by design.
import { ApiError } from "../../contract/errors.ts";
import {
  SIGN_INS_PER_ADDRESS_MINUTE,
  SIGN_INS_PER_EMAIL_MINUTE,
  SIGN_INS_PER_MINUTE,
} from "../../contract/manage/limits.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DrawnAttempt, NodeStore } from "../../ports/store/nodes.ts";

/**
 * Allowances kept of network addresses, and as many of e-mail addresses. Those of e-mail addresses have a map of their own:
 * attempts from many addresses, which cost nothing when they are for links, must not push them out.
 */
const REMEMBERED_MAX = 10_000;

/** Counts attempts to sign in. */
export interface SignInAttempts {
  /**
   * Counts an attempt. Rejects with 429 `rate_limit_exceeded` above the limit per network address (of IPv6: the first 64
   * bits), per e-mail address, or per pair of both; with a StoreError when the store that counts for all nodes is out of
   * reach. `email` is null for a sign-in link.
   */
  draw(address: string, email: string | null): Promise<void>;
}

/**
 * Counts the attempts of this process in memory, and with `nodes` those of all nodes in the store, under `hash` of the
 * addresses. An attempt that this process alone rejects costs the store nothing.
 */
export function createSignInAttempts(
  clock: Pick<Clock, "monotonicMs">,
  nodes: Pick<NodeStore, "drawAttempt"> | null,
  hash: (address: string) => string,
): SignInAttempts {
  const ofNetworks = new Map<string, Allowance>();
  const ofEmails = new Map<string, Allowance>();

  async function draw(allowances: Map<string, Allowance>, key: string, perMinute: number): Promise<void> {
    const verdict = drawAllowance(allowances.get(key), perMinute, clock.monotonicMs());
    // Reinserted at the end: the first entry of the map is the least recently used.
    allowances.delete(key);
    allowances.set(key, verdict.allowance);
    if (allowances.size > REMEMBERED_MAX) forgetOldest(allowances);
    assertGranted(verdict);
    if (nodes !== null) assertGranted(await nodes.drawAttempt({ hash: hash(key), perMinute }));
  }

  function forgetOldest(allowances: Map<string, Allowance>): void {
    const [oldest] = allowances.keys();
    if (oldest !== undefined) allowances.delete(oldest);
  }

  return {
    async draw(address, email) {
      const network = networkOf(address);
      await draw(ofNetworks, network, SIGN_INS_PER_ADDRESS_MINUTE);
      if (email === null) return;
      await draw(ofNetworks, `${network} ${email}`, SIGN_INS_PER_MINUTE);
      await draw(ofEmails, email, SIGN_INS_PER_EMAIL_MINUTE);
    },
  };
}

function assertGranted({ isGranted, retryAfterMs }: DrawnAttempt): void {
  if (isGranted) return;
  throw new ApiError("rate_limit_exceeded", "Too many sign-in attempts. Try again later.", {
    retryAfterSeconds: Math.ceil(retryAfterMs / 1000),
  });
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
