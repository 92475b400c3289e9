// The prices that a turn began with, in credits.
import Type, { type Static } from "typebox";
import { pricesIn } from "../contract/manage/resource-fields.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import type { PriceSnapshot, Prices } from "../core/money/prices.ts";

const { prices, tiers } = pricesIn("credits per million tokens");

export const TurnPrices = Type.Object(
  { ...prices, tiers },
  { description: "the prices when it began; null: the model was free" },
);

export function presentPrices({ tiers: of, ...base }: PriceSnapshot): Static<typeof TurnPrices> {
  return {
    ...inCredits(base),
    tiers: of.map(({ above_input_tokens, ...tier }) => ({ above_input_tokens, ...inCredits(tier) })),
  };
}

function inCredits({ input, cached_input, cache_write, output }: Prices) {
  return {
    input: creditsAsNumber(BigInt(input)),
    cached_input: creditsAsNumber(BigInt(cached_input)),
    cache_write: creditsAsNumber(BigInt(cache_write)),
    output: creditsAsNumber(BigInt(output)),
  };
}

/** Such as `input 1, …, output 2 credits per million tokens; above 100000 input tokens: input 2, …`. */
export function describePrices({ tiers: of, ...base }: Static<typeof TurnPrices>): string {
  const listOf = (each: object) =>
    Object.entries(each)
      .map(([name, price]) => `${name} ${price}`)
      .join(", ");
  const further = of.map(({ above_input_tokens: above, ...tier }) => `; above ${above} input tokens: ${listOf(tier)}`);
  return `${listOf(base)} credits per million tokens${further.join("")}`;
}
