// Passes a provider's parts on as far as they are paid for. What is not yet paid for waits, and all that comes after it: the provider is
// never paused, so what waits is bounded by what it sends while the store answers.
import type { ProviderPart } from "../../ports/provider.ts";
import { outputCharactersOf } from "../run/output-characters.ts";
import type { SpendingMeter } from "./spending-meter.ts";

export interface PaidParts {
  /** Takes a part: it is passed on at once, or waits. Throws what passing it on throws. */
  take(part: ProviderPart): void;
  /** Resolves when nothing waits any more. */
  settled(): Promise<void>;
}

export interface PartsQuestion {
  readonly meter: SpendingMeter;
  /** Characters put out so far. */
  readonly characters: () => number;
  readonly pass: (part: ProviderPart) => void;
  /** Called when parts that waited have been passed on. */
  readonly passed: () => void;
  /** Nothing pays for more, or passing on what waited threw: nothing more is passed on. */
  readonly stop: (reason: unknown) => void;
  /** Whether the turn is being stopped for another reason. */
  readonly isStopped: () => boolean;
}

/** The way of a turn's parts under a meter. */
export function createPaidParts({ meter, characters, pass, passed, stop, isStopped }: PartsQuestion): PaidParts {
  let waiting: ProviderPart[] = [];
  let isPaying = false;
  let paying = Promise.resolve();

  function passIfPaid(part: ProviderPart): boolean {
    const more = outputCharactersOf(part);
    if (more > 0 && !meter.covers(characters() + more)) return false;
    pass(part);
    if (part.type === "usage") meter.tell(part.usage, characters());
    return true;
  }

  async function payForWaiting(): Promise<void> {
    isPaying = true;
    try {
      for (let part = waiting[0]; part !== undefined && !isStopped(); part = waiting[0]) {
        const refused = await meter.pay(characters() + outputCharactersOf(part), characters());
        if (isStopped()) return;
        if (refused !== null) return stop(refused);
        const unpaid = waiting.findIndex((next) => !passIfPaid(next));
        waiting = unpaid === -1 ? [] : waiting.slice(unpaid);
        passed();
      }
    } catch (error) {
      stop(error);
    } finally {
      waiting = [];
      isPaying = false;
    }
  }

  return {
    take(part) {
      if (waiting.length === 0 && passIfPaid(part)) return;
      waiting.push(part);
      if (!isPaying) paying = payForWaiting();
    },
    settled: () => paying,
  };
}
