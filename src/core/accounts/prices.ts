// What tokens cost: the catalog's prices as integers of the ledger's unit, fixed once a model, and the charge of a usage.
// Why so, and how it rounds: docs/decisions/money.md. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";

/** Prices of the four kinds of tokens: in the catalog USD per million tokens, in a snapshot nano-credits per million tokens. */
export interface Prices {
  readonly input: number;
  readonly cached_input: number;
  readonly cache_write: number;
  readonly output: number;
}

/** Prices of a request whose input is longer than the threshold: they hold for all of its tokens. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly prices: Prices;
}

/** What a turn is charged by, whatever the catalog says later: integer nano-credits per million tokens, tiers by rising threshold. */
export interface PriceSnapshot extends Prices {
  readonly tiers: readonly (Prices & { readonly above_input_tokens: number })[];
}

/** A million tokens, what prices are given for. */
const TOKENS = 1_000_000n;
const NANO_PER_CREDIT_DIGITS = 9;
/**
 * Highest price, nano-credits per million tokens: a credit a token. A turn of the most tokens that a provider is believed
 * (providers/json-shape.ts) then still fits into a database's 64 bits.
 */
const PRICE_MAX = 10n ** 15n;

/**
 * The prices of a model in nano-credits, to the nearest integer; null for a model that is free. Throws a RangeError that names the
 * price which is too high.
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
  return [snapshot, ...tiers].every(isFree) ? null : snapshot;
}

function isFree({ input, cached_input, cache_write, output }: Prices): boolean {
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

/** Divides the two as the decimals that they were written as: the result is exact but for one rounding, half up. */
function priceInNano(name: keyof Prices, usd: number, usdPerCredit: number): number {
  const price = decimalOf(usd);
  const credit = decimalOf(usdPerCredit);
  const dividend = price.digits * 10n ** BigInt(credit.decimals + NANO_PER_CREDIT_DIGITS);
  const divisor = credit.digits * 10n ** BigInt(price.decimals);
  const nano = (2n * dividend + divisor) / (2n * divisor);
  if (nano > PRICE_MAX) {
    throw new RangeError(
      `${name} at ${usd} USD per million tokens is more than a credit a token, a credit being ${usdPerCredit} USD`,
    );
  }
  return Number(nano);
}

/** A number as the shortest decimal that stands for it: what somebody wrote, not the binary fraction nearest to it. */
function decimalOf(value: number): { readonly digits: bigint; readonly decimals: number } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
}

/** The prices that hold for a request of so many input tokens. */
export function pricesAt(snapshot: PriceSnapshot, inputTokens: number): Prices {
  let prices: Prices = snapshot;
  for (const tier of snapshot.tiers) if (inputTokens > tier.above_input_tokens) prices = tier;
  return prices;
}

/** The input of a request: as a provider counted it, or an estimate of its tokens. */
export type PricedInput = Pick<Usage, "input_tokens" | "input_tokens_details"> | number;

/**
 * What a usage costs, nano-credits: tokens read from and written to a cache at their prices, the rest of the input at its own, rounded
 * up once.
 */
export function chargeOf(snapshot: PriceSnapshot, usage: Usage): bigint {
  return costOf(snapshot, usage, usage.output_tokens);
}

/**
 * What an input and so many tokens of output cost, nano-credits. Of an input that is only estimated nobody knows yet what a cache
 * takes: it counts at its dearest price.
 */
export function costOf(snapshot: PriceSnapshot, input: PricedInput, outputTokens: number): bigint {
  const { inputCost, outputPrice } = weigh(snapshot, input);
  return roundUp(inputCost + BigInt(outputTokens) * outputPrice);
}

/**
 * How many tokens of output an amount pays beside an input: the most that costOf puts at no more than it. Infinity when output is
 * free; below zero when the amount does not pay for the input.
 */
export function outputPaidBy(snapshot: PriceSnapshot, input: PricedInput, amountNano: bigint): number {
  const { inputCost, outputPrice } = weigh(snapshot, input);
  const left = amountNano * TOKENS - inputCost;
  if (left < 0n) return -1;
  return outputPrice === 0n ? Number.POSITIVE_INFINITY : Number(left / outputPrice);
}

/** Both in nano-credits a million: what the input costs in all, and a token of output. */
function weigh(snapshot: PriceSnapshot, input: PricedInput): { inputCost: bigint; outputPrice: bigint } {
  if (typeof input === "number") {
    const prices = pricesAt(snapshot, input);
    const dearest = Math.max(prices.input, prices.cached_input, prices.cache_write);
    return { inputCost: BigInt(input) * BigInt(dearest), outputPrice: BigInt(prices.output) };
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
