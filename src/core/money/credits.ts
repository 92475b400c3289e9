// Converts between credits as people write them and nano-credits as the ledger stores them: a credit is 1,000,000,000
// nano-credits. The one decimal place of messages: messages.ts.
import { CREDITS_MAX } from "../../contract/money.ts";

export const NANO_PER_CREDIT = 1_000_000_000n;
/** Amounts are accepted down to a millionth of a credit. */
const DECIMALS_MAX = 6;
/** Largest amount, nano-credits. */
export const AMOUNT_NANO_MAX = BigInt(CREDITS_MAX) * NANO_PER_CREDIT;

const AMOUNT = new RegExp(`^(\\d{1,10})(?:\\.(\\d{1,${DECIMALS_MAX}}))?$`);

/**
 * Reads an amount of credits, a decimal down to a millionth (`12`, `0.000001`), as nano-credits; null when invalid or
 * above the maximum.
 */
export function readCredits(text: string): bigint | null {
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  const nano = BigInt(whole) * NANO_PER_CREDIT + BigInt(decimals.padEnd(9, "0"));
  return nano > AMOUNT_NANO_MAX ? null : nano;
}

/** Decimal places of a nano-credit. */
export const NANO_PER_CREDIT_DIGITS = 9;

/** An amount in credits as a text, with all its decimals: `-0.5`, `1000000`. */
export function formatCredits(nano: bigint): string {
  return formatDecimal(nano, NANO_PER_CREDIT_DIGITS);
}

/** A number of units of the last decimal place, as a text without zeros at its end. */
export function formatDecimal(units: bigint, places: number): string {
  const [sign, size] = units < 0n ? ["-", -units] : ["", units];
  const digits = String(size).padStart(places + 1, "0");
  const [whole, decimals] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
  const shown = decimals.replace(/0+$/, "");
  return shown === "" ? sign + whole : `${sign}${whole}.${shown}`;
}

/** An amount in credits as the nearest number, for JSON. */
export function creditsAsNumber(nano: bigint): number {
  return Number(formatCredits(nano));
}
