// Formats numbers, money and times for display.
import { LOCALE } from "./locale.ts";

/** Below a hundredth, an amount has so many digits that count in place of two decimals. */
const DIGITS_OF_SMALL = 2;
const SMALL = 0.01;

const plain = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const small = { maximumSignificantDigits: DIGITS_OF_SMALL } as const;
const dollars = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;

function moneyFormat(options: Intl.NumberFormatOptions): (amount: number) => string {
  const usual = new Intl.NumberFormat(LOCALE, { ...options, ...plain });
  const ofSmall = new Intl.NumberFormat(LOCALE, { ...options, ...small });
  return (amount) => (amount !== 0 && Math.abs(amount) < SMALL ? ofSmall : usual).format(amount);
}

/** An amount of credits: two decimals, and more only below a hundredth. */
export const formatCredits: (amount: number) => string = moneyFormat({});
/** The same of dollars, with their sign. */
export const formatDollars: (amount: number) => string = moneyFormat(dollars);

const EXACT_DECIMALS = 9;
const exact = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: EXACT_DECIMALS });
/** An amount of credits as the ledger has it. */
export const formatExactCredits = (amount: number): string => exact.format(amount);

const whole = new Intl.NumberFormat(LOCALE);
export const formatCount = (count: number): string => whole.format(count);

const percent = new Intl.NumberFormat(LOCALE, { style: "percent" });
/** A share from 0 to 1 as a percentage. */
export const formatShare = (share: number): string => percent.format(share);

/** A duration; nothing for one that is not known. */
export const formatMs = (milliseconds: number | null): string =>
  milliseconds === null ? "" : `${whole.format(milliseconds)} ms`;

const rate = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 1 });
/** The same to a tenth of a percent. */
export const formatRate = (share: number): string => rate.format(share);

const SECOND_MS = 1000;
const toTheMinute = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" } as const;
const thisYear = new Intl.DateTimeFormat(LOCALE, toTheMinute);
const otherYear = new Intl.DateTimeFormat(LOCALE, { ...toTheMinute, year: "numeric" });
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "long" });

export interface FormattedTime {
  /** To the minute, in the person's zone; the year only if it is another one. */
  readonly text: string;
  /** To the second, in the person's zone and in UTC. */
  readonly full: string;
  readonly iso: string;
}

/** A time in the words that every screen uses. */
export function formatTime(unixSeconds: number, nowMs = Date.now()): FormattedTime {
  const date = new Date(unixSeconds * SECOND_MS);
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear();
  const iso = date.toISOString();
  return {
    text: (isThisYear ? thisYear : otherYear).format(date),
    full: `${full.format(date)}\n${iso.slice(0, 19).replace("T", " ")} UTC`,
    iso,
  };
}

const present = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });
const relative = new Intl.RelativeTimeFormat(LOCALE, { style: "short" });
const RELATIVE_UNITS = [
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;
const DAY_SECONDS = 86_400;

/** How long ago a time was, or how far it is; null: a day or more, when its date says more. */
export function describeDistance(unixSeconds: number, nowMs: number): string | null {
  const seconds = Math.round(unixSeconds - nowMs / SECOND_MS);
  const size = Math.abs(seconds);
  if (size >= DAY_SECONDS) return null;
  if (size === 0) return present.format(0, "second");
  const [length, unit] = RELATIVE_UNITS.find(([each]) => size >= each) ?? ([1, "second"] as const);
  return relative.format(Math.trunc(seconds / length), unit);
}

const REST_UNITS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** The time left, in the two largest units that it has. */
export function describeRest(milliseconds: number): string {
  let rest = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = REST_UNITS.map(([seconds, unit]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return { count, text: `${count} ${unit}` };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .map(({ text }) => text)
    .join(" ");
}
