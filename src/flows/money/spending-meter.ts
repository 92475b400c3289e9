// Compares the output of a running response with its hold, and extends the hold before it is used up.
//
//   characters of output:  0 ──── emitted ──── extendAt ──── covered
//
// The hold pays for `covered` characters. From `extendAt` on, in the middle of the newest slice, the next slice is
// requested in the background. Output that outruns it waits (run/run-output.ts). Slices double, so that a long output
// takes few of them.
//
// A response never holds more than it can cost, and gives back what it holds ahead of need when another response is
// short (holds-ahead.ts). The hot path is one comparison of integers; money is computed when the provider reports usage
// or the hold changes. docs/decisions/money.md
import { estimateTokens } from "../../contract/characters.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import type { Usage } from "../../contract/resources.ts";
import { chargeOf, costOf, outputPaidBy, type PricedInput } from "../../core/money/prices.ts";
import type { Plan } from "../../core/response/plan.ts";
import { partialUsage, type Produced } from "../../core/response/partial-usage.ts";
import type { HoldExtension } from "../../ports/store/funds.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Services } from "../../ports/services.ts";
import { retryWhileUnavailable } from "../run/retry-while-unavailable.ts";
import type { FirstHold } from "./first-hold.ts";
import type { HoldAhead, HoldsAhead } from "./holds-ahead.ts";
import { type SpendingStop, spendingStop } from "./spending-stop.ts";

/** Largest slice, tokens: an output of 100,000 takes ten of them. */
const SLICE_TOKENS_MAX = 16_000;

/** A response of a priced model that has begun. */
export interface MeteredResponse {
  readonly caller: Caller;
  readonly plan: Plan;
  readonly firstHold: FirstHold;
  /** What begin has reserved: less than planned where budgets leave less. */
  readonly heldNano: bigint;
}

/** The meter of one response, from its begin until it is settled or withdrawn. */
export class SpendingMeter implements HoldAhead {
  readonly caller: Caller;
  readonly #services: Services;
  readonly #holdsAhead: HoldsAhead;
  readonly #plan: Plan;
  #firstHold: FirstHold;
  /** What begin has reserved: it is never given back before the settlement. */
  #firstNano: bigint;
  #heldNano: bigint;
  /** The provider's latest usage, and the characters emitted by then. */
  #reported: { readonly usage: Usage; readonly characters: number } | null = null;
  /** Characters that were emitted, or paid for on request: their cost is needed. */
  #neededCharacters = 0;
  /** The extension that is requested in the background, if any. */
  #extendingAhead: Promise<unknown> | null = null;
  /** Resolves when the latest extension has been granted or denied. */
  #extended: Promise<unknown> = Promise.resolve();
  /**
   * Whether to extend ahead of need. False after an extension failed or granted nothing, and after credits were given
   * back, until an extension that is needed grants some.
   */
  #mayExtendAhead = true;
  #isClosed = false;
  #paidTokens: number;
  #sliceTokens: number;
  #coveredCharacters = 0;
  #extendAtCharacters = 0;

  constructor(
    services: Services & { readonly holdsAhead: HoldsAhead },
    { caller, plan, firstHold, heldNano }: MeteredResponse,
  ) {
    this.caller = caller;
    this.#services = services;
    this.#holdsAhead = services.holdsAhead;
    this.#plan = plan;
    this.#firstHold = firstHold;
    this.#firstNano = heldNano;
    this.#heldNano = heldNano;
    this.#paidTokens = this.#tokensPaid();
    this.#sliceTokens = sliceOf(Math.min(firstHold.sliceTokens, this.#paidTokens));
    this.#updateCover();
  }

  /** Counts by the prices of another target from now on; the hold stays. Nothing has been emitted yet. */
  priceBy(hold: FirstHold): void {
    this.#firstHold = hold;
    this.#reported = null;
    this.#paidTokens = this.#tokensPaid();
    this.#sliceTokens = sliceOf(Math.min(hold.sliceTokens, this.#paidTokens));
    this.#updateCover();
  }

  /** Its target has begun its output: gives back what was held for a dearer one. */
  outputBegan(): void {
    const amountNano = this.#heldNano - this.#neededNano(this.#firstHold.funds.holdNano);
    if (amountNano <= 0n || this.#extendingAhead !== null) return;
    this.#heldNano -= amountNano;
    this.#firstNano = this.#heldNano;
    this.#updateCover();
    // If this fails, the store holds more than the response uses here: it returns with the settlement.
    const releasing = this.#services.store.releaseHold({ responseId: this.#plan.head.id, amountNano });
    this.#extendingAhead = releasing
      .catch(() => {})
      .finally(() => {
        this.#extendingAhead = null;
      });
    this.#extended = this.#extendingAhead;
  }

  /** Whether an output of so many characters is paid for. Extends the hold in good time. */
  covers(characters: number): boolean {
    if (characters > this.#extendAtCharacters && this.#mayExtendAhead && this.#extendingAhead === null) {
      this.#extendAhead();
    }
    if (characters > this.#coveredCharacters) return false;
    if (characters > this.#neededCharacters) this.#neededCharacters = characters;
    return true;
  }

  /** Uses the provider's own cumulative count from now on, reported when so many characters had been emitted. */
  applyUsage(usage: Usage, characters: number): void {
    this.#reported = { usage, characters };
    this.#updateCover();
  }

  /**
   * Pays for an output of so many characters, of which `emitted` is emitted. Resolves to null when it is paid for, to
   * the stop when nothing pays for it. Rejects when the store failed for good.
   */
  async pay(characters: number, emitted: Produced): Promise<SpendingStop | null> {
    for (;;) {
      if (characters <= this.#coveredCharacters) return null;
      if (this.#extendingAhead !== null) {
        await this.#extendingAhead;
        continue;
      }
      const { grantedNano, shortage } = await this.#extend(characters);
      if (grantedNano > 0n) continue;
      if (shortage === null) throw new Error(`the turn ${this.#plan.head.id} is to be paid for and is not running`);
      // This response needs credits that others hold ahead of their need.
      this.#holdsAhead.remove(this);
      if (await this.#holdsAhead.reclaim(this.caller, shortage)) continue;
      const usage = partialUsage(this.#plan, emitted, this.#reported?.usage ?? null);
      return spendingStop(shortage, chargeOf(this.#firstHold.snapshot, usage));
    }
  }

  /** Keeps the larger of the first hold and the cost of its output, and gives back the rest. */
  async giveBack(): Promise<boolean> {
    await this.#extended;
    const amountNano = this.#heldNano - this.#neededNano(this.#firstNano);
    if (amountNano <= 0n) return false;
    this.#heldNano -= amountNano;
    this.#sliceTokens = 1;
    this.#mayExtendAhead = false;
    this.#updateCover();
    // If this fails, the store holds more than the response uses here: it returns with the settlement.
    await this.#services.store.releaseHold({ responseId: this.#plan.head.id, amountNano }).catch(() => {});
    return true;
  }

  /** Called when the response has been settled or withdrawn: it holds nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#holdsAhead.remove(this);
  }

  /** The cost of the output so far, or a first hold if that is more. */
  #neededNano(firstNano: bigint): bigint {
    const costNano = this.#costOf(this.#tokensAt(this.#neededCharacters));
    return costNano > firstNano ? costNano : firstNano;
  }

  #extendAhead(): void {
    // If it fails, the same is requested again when it is needed.
    this.#extendingAhead = this.#extend(null)
      .catch(() => {
        this.#mayExtendAhead = false;
      })
      .finally(() => {
        this.#extendingAhead = null;
      });
  }

  /**
   * Requests the credits that an output of so many characters lacks (null: the output paid for), and a slice ahead of
   * it.
   */
  async #extend(characters: number | null): Promise<HoldExtension> {
    const responseId = this.#plan.head.id;
    const tokens = characters === null ? Math.max(0, this.#paidTokens) : this.#tokensAt(characters);
    const neededNano = characters === null ? 0n : this.#costOf(tokens) - this.#heldNano;
    const aheadNano = this.#costOf(this.#endOfSlice(tokens)) - this.#heldNano - neededNano;
    // Registered before the request, so that a response that is short meanwhile waits for its outcome.
    if (!this.#isClosed) this.#holdsAhead.add(this);
    const query = { responseId, heldNano: this.#heldNano, neededNano, aheadNano };
    const extending = retryWhileUnavailable(this.#services, () => this.#services.store.extendHold(query));
    this.#extended = extending.catch(() => {});
    const extension = await extending;
    this.#heldNano += extension.grantedNano;
    if (characters !== null && extension.grantedNano > 0n) {
      this.#neededCharacters = Math.max(this.#neededCharacters, characters);
    }
    const grantedTokens = this.#tokensPaid() - tokens;
    this.#mayExtendAhead = grantedTokens >= 1;
    this.#sliceTokens = sliceOf(grantedTokens);
    this.#updateCover();
    return extension;
  }

  /**
   * The end of the slice that begins at an output: twice as long as the one before, within what the response may emit.
   */
  #endOfSlice(fromTokens: number): number {
    return Math.min(fromTokens + sliceOf(this.#sliceTokens * 2), this.#plan.outputTokensMax);
  }

  /** Called whenever the hold, the slice or the reported usage has changed. */
  #updateCover(): void {
    this.#paidTokens = this.#tokensPaid();
    this.#coveredCharacters = this.#charactersPaid();
    this.#extendAtCharacters = this.#coveredCharacters - (this.#sliceTokens * CHARACTERS_PER_TOKEN) / 2;
  }

  #charactersPaid(): number {
    // The longest output is paid for, in however many characters it comes.
    if (this.#paidTokens >= this.#plan.outputTokensMax) return Number.POSITIVE_INFINITY;
    const estimate = this.#paidTokens * CHARACTERS_PER_TOKEN;
    if (this.#reported === null) return estimate;
    const { usage, characters } = this.#reported;
    const beyond = (this.#paidTokens - usage.output_tokens) * CHARACTERS_PER_TOKEN;
    return beyond < 0 ? -1 : Math.min(estimate, characters + beyond);
  }

  /**
   * Tokens of so many characters: as many as were reported, and one for four characters after that; never more than the
   * response may emit.
   */
  #tokensAt(characters: number): number {
    const estimate = estimateTokens(characters);
    const { outputTokensMax } = this.#plan;
    if (this.#reported === null) return Math.min(estimate, outputTokensMax);
    const { usage, characters: reportedAt } = this.#reported;
    const counted = usage.output_tokens + estimateTokens(Math.max(0, characters - reportedAt));
    return Math.min(Math.max(estimate, counted), outputTokensMax);
  }

  /** Tokens of output that the hold pays for; below zero when it does not pay for the input. */
  #tokensPaid(): number {
    return outputPaidBy(this.#firstHold.snapshot, this.#input(), this.#heldNano);
  }

  /** The cost of the response with so many tokens of output. */
  #costOf(outputTokens: number): bigint {
    return costOf(this.#firstHold.snapshot, this.#input(), outputTokens);
  }

  #input(): PricedInput {
    return this.#reported === null ? this.#firstHold.inputTokens : this.#reported.usage;
  }
}

function sliceOf(tokens: number): number {
  return Math.max(1, Math.min(tokens, SLICE_TOKENS_MAX));
}
