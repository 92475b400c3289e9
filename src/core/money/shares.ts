// Shares of a budget or a balance that a charge reaches, and when a budget ends at the pace of its period so far.
import { DAY_MS } from "../../base/time.ts";
import type { BudgetPeriod } from "../../contract/money.ts";
import { firstDayAfter } from "./billing-day.ts";

/** The largest of some shares (percent, rising) of a whole that an amount reaches as it grows; null: none. */
export function reachedUpwards<Share extends number>(
  shares: readonly Share[],
  { wholeNano, beforeNano, afterNano }: Change,
): Share | null {
  const isReached = (share: Share, amountNano: bigint) => amountNano * 100n >= wholeNano * BigInt(share);
  const reached = shares.findLast((share) => isReached(share, afterNano));
  return reached === undefined || isReached(reached, beforeNano) ? null : reached;
}

/** The smallest of some shares (percent, falling) of a whole that an amount reaches as it shrinks; null: none. */
export function reachedDownwards<Share extends number>(
  shares: readonly Share[],
  { wholeNano, beforeNano, afterNano }: Change,
): Share | null {
  const isReached = (share: Share, amountNano: bigint) => amountNano * 100n <= wholeNano * BigInt(share);
  const reached = shares.findLast((share) => isReached(share, afterNano));
  return reached === undefined || isReached(reached, beforeNano) ? null : reached;
}

interface Change {
  readonly wholeNano: bigint;
  readonly beforeNano: bigint;
  readonly afterNano: bigint;
}

/**
 * When a budget is used up if its period goes on as it has until now, milliseconds; null: not within the period, which
 * begins on the day `periodFrom`, or the period is `total`.
 */
export function forecastEnd(
  budget: {
    readonly period: BudgetPeriod;
    readonly periodFrom: number;
    readonly limitNano: bigint;
    readonly spentNano: bigint;
  },
  nowMs: number,
): number | null {
  const { period, periodFrom, limitNano, spentNano } = budget;
  const next = firstDayAfter(period, periodFrom);
  const elapsedMs = nowMs - periodFrom * DAY_MS;
  if (next === null || elapsedMs <= 0 || spentNano <= 0n) return null;
  if (spentNano >= limitNano) return nowMs;
  const endMs = nowMs + Number((limitNano - spentNano) * BigInt(elapsedMs)) / Number(spentNano);
  return endMs < next * DAY_MS ? Math.round(endMs) : null;
}
