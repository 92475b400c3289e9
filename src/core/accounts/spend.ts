// What is said of money: figures in credits to one decimal place, and the sentences about what was short.
// @spec errors/failed-responses (spending messages)
import type { BudgetPeriod, BudgetScope } from "../../contract/spending.ts";
import { NANO_PER_CREDIT } from "./credits.ts";

/** Budget scopes from the narrowest to the widest: of several that are used up the narrowest is told. */
export const BUDGET_SCOPES_BY_WIDTH: readonly BudgetScope[] = [
  "response",
  "key",
  "member",
  "organization-day",
  "organization",
];

/** A budget's limit against what was spent of it, nano-credits. */
export interface SpentOfLimit {
  readonly spentNano: bigint;
  readonly limitNano: bigint;
}

const TENTH = NANO_PER_CREDIT / 10n;

/** An amount in credits to one decimal place. */
export function toTenths(nano: bigint, rounding: "down" | "half-up" | "up"): string {
  const more = { down: 0n, "half-up": TENTH / 2n, up: TENTH - 1n }[rounding];
  const tenths = (nano + more) / TENTH;
  return `${tenths / 10n}.${tenths % 10n}`;
}

/** `9.9 of 10.0`, to the nearest tenth; what is below the limit never reads as the limit. */
export function showSpent({ spentNano, limitNano }: SpentOfLimit): string {
  const limit = toTenths(limitNano, "half-up");
  const spent = toTenths(spentNano, "half-up");
  return `${spent === limit && spentNano < limitNano ? toTenths(spentNano, "down") : spent} of ${limit}`;
}

/** The balance is above zero, but below what a turn sets aside to start. */
export function sayCreditsTooFew({ creditsNano, neededNano }: { creditsNano: bigint; neededNano: bigint }): string {
  return (
    `Your organization's balance of ${toTenths(creditsNano, "down")} credits cannot pay to start this turn, ` +
    `which sets ${toTenths(neededNano, "up")} credits aside.`
  );
}

/** A budget has too little left for a turn to start. */
export function sayBudgetTooSmall(
  budget: SpentOfLimit & {
    readonly scope: BudgetScope;
    readonly period: BudgetPeriod;
    readonly heldNano: bigint;
    readonly neededNano: bigint;
  },
): string {
  const { scope, period, heldNano, neededNano } = budget;
  const held = heldNano === 0n ? "" : `, ${toTenths(heldNano, "half-up")} are held for running turns`;
  return (
    `The spending limit of ${WHOSE[scope]}${FOR[period]} leaves too little for this turn: ${showSpent(budget)} credits are spent${held}, ` +
    `and the turn sets ${toTenths(neededNano, "up")} aside.`
  );
}

/** A budget was used up while a turn ran. `spentNano`: with what is held for running turns, this one among them. */
export function sayBudgetReached(
  budget: SpentOfLimit & { readonly scope: BudgetScope; readonly period: BudgetPeriod },
): string {
  const { scope, period } = budget;
  return (
    `The spending limit of ${WHOSE[scope]}${FOR[period]} was reached while this response was running: ` +
    `${showSpent(budget)} credits are spent or held for running turns.`
  );
}

/** The limit of a single response was reached. `spentNano`: what it has cost. */
export function sayResponseLimitReached(limit: SpentOfLimit): string {
  return `This response reached its spending limit: ${showSpent(limit)} credits are spent.`;
}

/** The limit of a single response is below what it takes to start one. */
export function sayResponseLimitBelowStart(limitNano: bigint, neededNano: bigint): string {
  return (
    `This response cannot start within its spending limit: ${showSpent({ spentNano: 0n, limitNano })} credits are spent, ` +
    `and starting it sets ${toTenths(neededNano, "up")} aside.`
  );
}

/** The balance was used up while a turn ran. `spentNano`: what the turn has cost. */
export function sayCreditsUsedUp(spentNano: bigint): string {
  return (
    "Your organization ran out of credits while this response was running: " +
    `it has spent ${toTenths(spentNano, "half-up")} credits, and the balance pays no more of it.`
  );
}

const WHOSE: Readonly<Record<BudgetScope, string>> = {
  response: "this response",
  key: "this API key",
  member: "the member whose API key this is",
  "organization-day": "your organization",
  organization: "your organization",
};

const FOR: Readonly<Record<BudgetPeriod, string>> = { day: " for the day", month: " for the month", total: "" };
