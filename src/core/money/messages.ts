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

/** What running responses have reserved of a budget or a balance, and what a response needs of it; nano-credits. */
interface Reserved {
  /** For running responses, this one among them. */
  readonly heldNano: bigint;
  /** For this response. */
  readonly ownNano: bigint;
  /** What this response needs beyond that. */
  readonly neededNano: bigint;
}

/** A budget and its figures in a period. */
type BudgetFigures = SpentOfLimit & Reserved & { readonly scope: BudgetScope; readonly period: BudgetPeriod };

/** The balance is below the first hold of a response. */
export function tooFewCreditsMessage({
  creditsNano,
  heldNano,
  neededNano,
}: Omit<Reserved, "ownNano"> & { readonly creditsNano: bigint }): string {
  const held = heldNano === 0n ? "" : ` Running turns have reserved another ${toTenths(heldNano, "half-up")} credits.`;
  return (
    `Your organization's balance of ${toTenths(creditsNano, "down")} credits is too low to start this turn, ` +
    `which reserves ${toTenths(neededNano, "up")} credits.${held}`
  );
}

/** A budget has nothing left to start a response: it is spent, or running responses have reserved the rest. */
export function budgetUsedUpMessage(budget: BudgetFigures): string {
  const limit = `The spending limit of ${limitOf(budget)}`;
  const figures = `${formatSpent(budget)} credits are spent${formatReserved(budget)}.`;
  if (budget.spentNano >= budget.limitNano) return `${limit} is used up: ${figures}`;
  const needed = toTenths(budget.neededNano, "up");
  return `${limit} has nothing left: ${figures} This turn reserves up to ${needed} credits to start.`;
}

/** A budget leaves too little for a response that has begun. */
export function budgetReachedMessage(budget: BudgetFigures): string {
  const figures = `${formatSpent(budget)} credits are spent${formatReserved(budget)}`;
  return (
    `The spending limit of ${limitOf(budget)} was reached while this response was running: ${figures}. ` +
    `This turn needs ${toTenths(budget.ownNano + budget.neededNano, "up")} credits to go on.`
  );
}

/** The limit of a single response was reached. `spentNano`: the cost of this response. */
export function responseLimitMessage(limit: SpentOfLimit & Pick<Reserved, "ownNano" | "neededNano">): string {
  return (
    `This response reached its spending limit: ${formatSpent(limit)} credits are spent. ` +
    `It needs ${toTenths(limit.ownNano + limit.neededNano, "up")} credits to go on.`
  );
}

/** The balance was used up while a response ran. `spentNano`: the cost of the response. */
export function creditsUsedUpMessage({
  spentNano,
  creditsNano,
  heldNano,
  ownNano,
  neededNano,
}: Reserved & { readonly spentNano: bigint; readonly creditsNano: bigint }): string {
  const others = heldNano - ownNano;
  const reserved =
    others === 0n ? "" : `, and ${toTenths(others, "half-up")} credits are reserved for other running turns`;
  return (
    "Your organization ran out of credits while this response was running: " +
    `it has spent ${toTenths(spentNano, "half-up")} credits and needs ${toTenths(ownNano + neededNano, "up")} to go on, ` +
    `of which ${toTenths(ownNano, "down")} are reserved for it. ` +
    `The balance has ${toTenths(creditsNano, "down")} credits left${reserved}.`
  );
}

/** `, and 5.0 are reserved for running responses, 2.0 of them for this one`; empty when nothing is reserved. */
function formatReserved({ heldNano, ownNano }: Reserved): string {
  if (heldNano === 0n) return "";
  const held = `, and ${toTenths(heldNano, "half-up")} are reserved for`;
  if (ownNano === 0n) return `${held} running turns`;
  return ownNano === heldNano
    ? `${held} this turn`
    : `${held} running turns, ${toTenths(ownNano, "half-up")} of them for this one`;
}

function limitOf({ scope, period }: BudgetFigures): string {
  return `${WHOSE[scope]}${FOR[period]}`;
}

const WHOSE: Readonly<Record<BudgetScope, string>> = {
  response: "this response",
  key: "this API key",
  member: "the member whose API key this is",
  "organization-day": "your organization",
  organization: "your organization",
};

const FOR: Readonly<Record<BudgetPeriod, string>> = { day: " for the day", month: " for the month", total: "" };
