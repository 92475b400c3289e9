// Messages about money: amounts in credits to one decimal place, and the sentences about a shortage.
// @spec errors/failed-responses (spending messages)
import type { BudgetPeriod, BudgetScope } from "../../contract/money.ts";
import { NANO_PER_CREDIT } from "./credits.ts";

/** Budget scopes from the narrowest to the widest: when several are used up, the narrowest is reported. */
export const BUDGET_SCOPES_BY_WIDTH: readonly BudgetScope[] = [
  "response",
  "key",
  "member",
  "organization-day",
  "organization",
];

/** The limit of a budget and the amount spent, nano-credits. */
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

/** `9.9 of 10.0`, to the nearest tenth; an amount below the limit never reads as the limit. */
export function formatSpent({ spentNano, limitNano }: SpentOfLimit): string {
  const limit = toTenths(limitNano, "half-up");
  const spent = toTenths(spentNano, "half-up");
  return `${spent === limit && spentNano < limitNano ? toTenths(spentNano, "down") : spent} of ${limit}`;
}

/** The balance is above zero, but below the first hold of a turn. */
export function tooFewCreditsMessage({ creditsNano, neededNano }: { creditsNano: bigint; neededNano: bigint }): string {
  return (
    `Your organization's balance of ${toTenths(creditsNano, "down")} credits is too low to start this turn, ` +
    `which reserves ${toTenths(neededNano, "up")} credits.`
  );
}

/** A budget has nothing left to start a turn. */
export function budgetUsedUpMessage(
  budget: SpentOfLimit & { readonly scope: BudgetScope; readonly period: BudgetPeriod; readonly heldNano: bigint },
): string {
  const { scope, period, heldNano } = budget;
  const held = heldNano === 0n ? "" : `, and ${toTenths(heldNano, "half-up")} are reserved for running turns`;
  const limit = `The spending limit of ${WHOSE[scope]}${FOR[period]}`;
  return `${limit} is used up: ${formatSpent(budget)} credits are spent${held}.`;
}

/** A budget was used up while a turn ran. `spentNano` includes the holds of running turns, this one among them. */
export function budgetReachedMessage(
  budget: SpentOfLimit & { readonly scope: BudgetScope; readonly period: BudgetPeriod },
): string {
  const { scope, period } = budget;
  return (
    `The spending limit of ${WHOSE[scope]}${FOR[period]} was reached while this response was running: ` +
    `${formatSpent(budget)} credits are spent or reserved for running turns.`
  );
}

/** The limit of a single response was reached. `spentNano`: the cost of this response. */
export function responseLimitMessage(limit: SpentOfLimit): string {
  return `This response reached its spending limit: ${formatSpent(limit)} credits are spent.`;
}

/** The balance was used up while a turn ran. `spentNano`: the cost of the turn. */
export function creditsUsedUpMessage(spentNano: bigint): string {
  return (
    "Your organization ran out of credits while this response was running: " +
    `it has spent ${toTenths(spentNano, "half-up")} credits, and nothing is left to continue it.`
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
