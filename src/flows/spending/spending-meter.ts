// Holds what a running turn puts out to what is set aside for it, and asks for more before that is used up.
//
//   covered: characters of output that the hold pays for. Once half of the newest slice is used, the next one is asked for, in the
//   background. Output that comes before it is granted waits (paid-parts.ts). Slices double, so that a long answer takes few of them.
//
// The hot path is one comparison of integers; money is worked out when the provider tells its count, or a slice is asked for.
import { estimateTokens } from "../../contract/characters.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import type { Usage } from "../../contract/resources.ts";
import { chargeOf, costOf, outputPaidBy, type PricedInput } from "../../core/accounts/prices.ts";
import type { Plan } from "../../core/turn/plan.ts";
import { produced } from "../../core/turn/produced.ts";
import type { HoldExtension } from "../../ports/funds.ts";
import type { World } from "../../ports/world.ts";
import type { PlannedFunds } from "./funds.ts";
import { type SpendingStop, stopFor } from "./spending-stop.ts";
import { untilStored } from "../run/until-stored.ts";

/** Largest slice, tokens: an answer of 100,000 takes ten of them. */
const SLICE_TOKENS_MAX = 16_000;

export interface SpendingMeter {
  /** Whether an output of so many characters in all is paid for. Asks for more in good time. */
  covers(characters: number): boolean;
  /** The provider's own count, cumulative, when so many characters had been put out. */
  tell(usage: Usage, characters: number): void;
  /**
   * Has an output of so many characters paid for; `spentCharacters` were put out by then. Resolves to null when it is, to the stop when
   * nothing pays for it. Rejects when the store failed for good.
   */
  pay(characters: number, spentCharacters: number): Promise<SpendingStop | null>;
}

/** The meter of a turn that has begun with that hold. */
export function createSpendingMeter(world: World, plan: Plan, funds: PlannedFunds): SpendingMeter {
  const { snapshot } = funds;
  const tokensMax = plan.outputTokensMax;
  let heldNano = funds.holdNano;
  let sliceTokens = funds.sliceTokens;
  let told: { readonly usage: Usage; readonly characters: number } | null = null;
  /** While more is being asked for in the background. */
  let asking: Promise<unknown> | null = null;
  let paidTokens = 0;
  let coveredCharacters = 0;
  let askAtCharacters = 0;
  weigh();

  function input(): PricedInput {
    return told === null ? funds.inputTokens : told.usage;
  }

  /** Tokens that so many characters are: as many as the provider told, and four characters each of what came after. */
  function tokensAt(characters: number): number {
    const estimate = estimateTokens(characters);
    if (told === null) return estimate;
    return Math.max(estimate, told.usage.output_tokens + estimateTokens(Math.max(0, characters - told.characters)));
  }

  function weigh(): void {
    paidTokens = outputPaidBy(snapshot, input(), heldNano);
    coveredCharacters = paidTokens * CHARACTERS_PER_TOKEN;
    if (told !== null) {
      const { usage, characters } = told;
      const beyond = (paidTokens - usage.output_tokens) * CHARACTERS_PER_TOKEN;
      coveredCharacters = beyond < 0 ? -1 : Math.min(coveredCharacters, characters + beyond);
    }
    // More than the model may put out is not asked for early.
    const half = (sliceTokens * CHARACTERS_PER_TOKEN) / 2;
    askAtCharacters = paidTokens < tokensMax ? coveredCharacters - half : Number.POSITIVE_INFINITY;
  }

  /** The next slice: twice the one before, and no further than the model may go, unless it has gone there. */
  function nextSlice(): number {
    const slice = Math.min(sliceTokens * 2, SLICE_TOKENS_MAX);
    const left = tokensMax - Math.max(0, paidTokens);
    return left > 0 ? Math.min(slice, left) : slice;
  }

  /** What tokens of output cost by themselves. */
  function worth(tokens: number): bigint {
    return costOf(snapshot, input(), tokens) - costOf(snapshot, input(), 0);
  }

  async function extend(slice: number, wantedNano: bigint, leastNano: bigint): Promise<HoldExtension> {
    const responseId = plan.head.id;
    const extension = await untilStored(world, () => world.store.extendHold({ responseId, wantedNano, leastNano }));
    if (extension.grantedNano > 0n) {
      heldNano += extension.grantedNano;
      sliceTokens = slice;
      weigh();
    } else {
      // Nothing more is to be had now: the end of what is held is where it is asked for again.
      askAtCharacters = Number.POSITIVE_INFINITY;
    }
    return extension;
  }

  function askEarly(): void {
    const slice = nextSlice();
    // Should it fail, the same is asked again when it is needed.
    asking = extend(slice, worth(slice), worth(1))
      .catch(() => {})
      .finally(() => {
        asking = null;
      });
    askAtCharacters = Number.POSITIVE_INFINITY;
  }

  async function pay(characters: number, spentCharacters: number): Promise<SpendingStop | null> {
    if (characters <= coveredCharacters) return null;
    if (asking !== null) {
      await asking;
      return pay(characters, spentCharacters);
    }
    const slice = nextSlice();
    const neededNano = costOf(snapshot, input(), tokensAt(characters)) - heldNano;
    const { grantedNano, shortage } = await extend(slice, neededNano + worth(slice), neededNano);
    if (shortage !== null) {
      const usage = produced(plan.promptCharacters, spentCharacters, told === null ? null : told.usage);
      return stopFor(shortage, chargeOf(snapshot, usage));
    }
    if (grantedNano === 0n) throw new Error(`the turn ${plan.head.id} was to be paid for and does not run`);
    return pay(characters, spentCharacters);
  }

  return {
    covers(characters) {
      if (characters > askAtCharacters && asking === null) askEarly();
      return characters <= coveredCharacters;
    },
    tell(usage, characters) {
      told = { usage, characters };
      const isAsking = askAtCharacters === Number.POSITIVE_INFINITY;
      weigh();
      if (isAsking) askAtCharacters = Number.POSITIVE_INFINITY;
    },
    pay,
  };
}
