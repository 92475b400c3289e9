// What a budget would have done to turns of the past. Usage is kept by the hour, so the hour in which the limit is
// reached cannot be divided: the figures are the least that the budget would have rejected. docs/management.md (Trials)
import type { BudgetPeriod } from "../../contract/money.ts";
import { dayOfHour, firstDayAfter, firstDayOf, HOURS_PER_DAY } from "./billing-day.ts";

/** The turns of a UTC hour since 1970 that count in the budget. */
export interface HourOfResponses {
  readonly hour: number;
  readonly responses: number;
  readonly chargedNano: bigint;
}

export interface TriedPeriod {
  /** Its first hour, and the first one after; null: it has no end. */
  readonly from: number;
  readonly to: number | null;
  readonly responses: number;
  readonly chargedNano: bigint;
  /**
   * The first hour of the period whose turns are all rejected, in most cases the one after that in which the limit is
   * reached; null: there is none.
   */
  readonly rejectsFrom: number | null;
  /** The turns from then on. */
  readonly rejectedResponses: number;
  readonly rejectedNano: bigint;
}

export interface BudgetTrial {
  readonly period: BudgetPeriod;
  readonly limitNano: bigint;
  /** Spent before the first hour, in its period. */
  readonly spentBeforeNano: bigint;
  /** In their order, each once. */
  readonly hours: readonly HourOfResponses[];
}

/** The periods that have turns, in their order. A spent budget rejects every turn, a free one too. */
export function tryBudget({ period, limitNano, spentBeforeNano, hours }: BudgetTrial): readonly TriedPeriod[] {
  const periods: TriedPeriod[] = [];
  let spentNano = spentBeforeNano;
  for (const each of hours) {
    const firstDay = firstDayOf(period, dayOfHour(each.hour));
    const from = firstDay * HOURS_PER_DAY;
    let current = periods.at(-1);
    if (current?.from !== from) {
      if (current !== undefined) spentNano = 0n;
      const next = firstDayAfter(period, firstDay);
      current = { ...NO_TURNS, from, to: next === null ? null : next * HOURS_PER_DAY };
    } else periods.pop();
    const isSpent = spentNano >= limitNano;
    spentNano += each.chargedNano;
    const next = spentNano >= limitNano && each.hour + 1 !== current.to ? each.hour + 1 : null;
    periods.push({
      ...current,
      responses: current.responses + each.responses,
      chargedNano: current.chargedNano + each.chargedNano,
      rejectsFrom: current.rejectsFrom ?? (isSpent ? each.hour : next),
      rejectedResponses: current.rejectedResponses + (isSpent ? each.responses : 0),
      rejectedNano: current.rejectedNano + (isSpent ? each.chargedNano : 0n),
    });
  }
  return periods;
}

const NO_TURNS = { responses: 0, chargedNano: 0n, rejectsFrom: null, rejectedResponses: 0, rejectedNano: 0n };
