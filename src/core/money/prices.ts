// The price of tokens: the catalog's prices as integers in nano-credits, computed once per model, and the charge for a
// usage. Reasons and rounding: docs/decisions/money.md. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { formatDecimal, NANO_PER_CREDIT_DIGITS } from "./credits.ts";

/** Prices of the four kinds of tokens per million: in USD in the catalog, in nano-credits in a snapshot. */
export interface Prices {
  readonly input: number;
  readonly cached_input: number;
  readonly cache_write: number;
  readonly output: number;
}

/** Prices of a request whose input is longer than the threshold: they apply to all of its tokens. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly prices: Prices;
}

/**
 * The prices of a response, fixed when it begins: integer nano-credits per million tokens, tiers by rising threshold.
 */
export interface PriceSnapshot extends Prices {
  readonly tiers: readonly (Prices & { readonly above_input_tokens: number })[];
}

/** Prices are per million tokens. */
const TOKENS = 1_000_000n;
/**
 * Highest price, nano-credits per million tokens: a credit a token. The charge for the largest usage accepted from a
 * provider (providers/wire/json-shape.ts) then fits 64 bits in a database.
 */
const PRICE_MAX = 10n ** 15n;

/**
 * The prices of a model in nano-credits, to the nearest integer; null for a free model. Throws a RangeError that names
 * a price that is too high.
 */
export function snapshotPrices(
  model: { readonly prices: Prices; readonly tiers?: readonly PriceTier[] },
  usdPerCredit: number,
): PriceSnapshot | null {
  const tiers = (model.tiers ?? []).map(({ aboveInputTokens, prices }) => ({
    above_input_tokens: aboveInputTokens,
    ...inNano(prices, usdPerCredit),
  }));
  const snapshot: PriceSnapshot = {
    ...inNano(model.prices, usdPerCredit),
    tiers: tiers.toSorted((a, b) => a.above_input_tokens - b.above_input_tokens),
  };
  return [snapshot, ...tiers].every(areZero) ? null : snapshot;
}

/** Whether a model costs nothing. */
export function isFree({
  prices,
  tiers = [],
}: {
  readonly prices: Prices;
  readonly tiers?: readonly PriceTier[];
}): boolean {
  return [prices, ...tiers.map((tier) => tier.prices)].every(areZero);
}

function areZero({ input, cached_input, cache_write, output }: Prices): boolean {
  return input === 0 && cached_input === 0 && cache_write === 0 && output === 0;
}

function inNano({ input, cached_input, cache_write, output }: Prices, usdPerCredit: number): Prices {
  return {
    input: priceInNano("input", input, usdPerCredit),
    cached_input: priceInNano("cached_input", cached_input, usdPerCredit),
    cache_write: priceInNano("cache_write", cache_write, usdPerCredit),
    output: priceInNano("output", output, usdPerCredit),
  };
}

/** Divides the two as decimals, as they were written: exact but for one rounding, half up. */
function priceInNano(name: keyof Prices, usd: number, usdPerCredit: number): number {
  const price = decimalOf(usd);
  const credit = decimalOf(usdPerCredit);
  const dividend = price.digits * 10n ** BigInt(credit.decimals + NANO_PER_CREDIT_DIGITS);
  const divisor = credit.digits * 10n ** BigInt(price.decimals);
  const nano = (2n * dividend + divisor) / (2n * divisor);
  if (nano > PRICE_MAX) {
    throw new RangeError(
      `${name} at ${usd} USD per million tokens is more than one credit per token (a credit is ${usdPerCredit} USD)`,
    );
  }
  return Number(nano);
}

/** An amount in USD as a text, with all its decimals: `0.0000125`. */
export function formatUsd(nano: bigint, usdPerCredit: number): string {
  const credit = decimalOf(usdPerCredit);
  return formatDecimal(nano * credit.digits, NANO_PER_CREDIT_DIGITS + credit.decimals);
}

/** A number as its shortest decimal: as it was written, not the nearest binary fraction. */
function decimalOf(value: number): { readonly digits: bigint; readonly decimals: number } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
}

/** The prices for a request with so many input tokens. */
export function pricesAt(snapshot: PriceSnapshot, inputTokens: number): Prices {
  let prices: Prices = snapshot;
  for (const tier of snapshot.tiers) if (inputTokens > tier.above_input_tokens) prices = tier;
  return prices;
}

/** The input of a request: as a provider counted it, or an estimate of its tokens. */
export type PricedInput = Pick<Usage, "input_tokens" | "input_tokens_details"> | number;

/**
 * The charge for a usage, nano-credits: tokens read from and written to a cache at their prices, other input at the
 * input price, rounded up once.
 */
export function chargeOf(snapshot: PriceSnapshot, usage: Usage): bigint {
  return costOf(snapshot, usage, usage.output_tokens);
}

/**
 * What reading tokens from a cache saved: their price as other input less their own, nano-credits, rounded down. Below
 * zero where a cached token costs more.
 */
export function savedBy(snapshot: PriceSnapshot, { input_tokens, input_tokens_details }: Usage): bigint {
  const { input, cached_input } = pricesAt(snapshot, input_tokens);
  return (BigInt(input_tokens_details.cached_tokens) * BigInt(input - cached_input)) / TOKENS;
}

/**
 * The cost of an input and so many tokens of output, nano-credits. An estimate counts at the most expensive prices that
 * a count up to it may have: how much of it a cache takes is not known yet.
 */
export function costOf(snapshot: PriceSnapshot, input: PricedInput, outputTokens: number): bigint {
  const { inputCost, outputPrice } = costsOf(snapshot, input);
  return roundUp(inputCost + BigInt(outputTokens) * outputPrice);
}

/**
 * Tokens of output that an amount pays for after an input: the most for which costOf stays within it. Infinity when
 * output is free; below zero when the amount does not pay for the input.
 */
export function outputPaidBy(snapshot: PriceSnapshot, input: PricedInput, amountNano: bigint): number {
  const { inputCost, outputPrice } = costsOf(snapshot, input);
  const left = amountNano * TOKENS - inputCost;
  if (left < 0n) return -1;
  return outputPrice === 0n ? Number.POSITIVE_INFINITY : Number(left / outputPrice);
}

/** The cost of the whole input and of a token of output, in millionths of a nano-credit. */
function costsOf(snapshot: PriceSnapshot, input: PricedInput): { inputCost: bigint; outputPrice: bigint } {
  if (typeof input === "number") {
    // The provider may count fewer tokens, and a tier below may cost more.
    const reached = [snapshot, ...snapshot.tiers.filter((tier) => input > tier.above_input_tokens)];
    const inputs = reached.map((prices) => Math.max(prices.input, prices.cached_input, prices.cache_write));
    const outputs = reached.map((prices) => prices.output);
    return { inputCost: BigInt(input) * BigInt(Math.max(...inputs)), outputPrice: BigInt(Math.max(...outputs)) };
  }
  const { cached_tokens, cache_write_tokens } = input.input_tokens_details;
  const prices = pricesAt(snapshot, input.input_tokens);
  const fresh = Math.max(0, input.input_tokens - cached_tokens - cache_write_tokens);
  const inputCost =
    BigInt(fresh) * BigInt(prices.input) +
    BigInt(cached_tokens) * BigInt(prices.cached_input) +
    BigInt(cache_write_tokens) * BigInt(prices.cache_write);
  return { inputCost, outputPrice: BigInt(prices.output) };
}

function roundUp(nanoTimesTokens: bigint): bigint {
  return (nanoTimesTokens + TOKENS - 1n) / TOKENS;
}
