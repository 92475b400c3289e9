// Turns: how they ended, how long they took and waited, what they used.
import type { Usage } from "../../contract/resources.ts";
import { NANO_PER_CREDIT } from "../../core/accounts/credits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ObservedTurn, Telemetry, TurnReport, TurnStart } from "../../ports/telemetry.ts";
import { createCounter } from "./counter.ts";
import { createHistogram } from "./histogram.ts";
import type { MetricFamily } from "./sample.ts";

/** From a simulated model to the longest that a turn may run by default. */
const DURATION_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 90, 180, 300, 600];
/** Finer where people notice: around a second. */
const FIRST_OUTPUT_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 40, 90];
const QUEUE_BOUNDS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export interface TurnMetrics extends Pick<Telemetry, "turnStarted"> {
  readonly families: readonly MetricFamily[];
}

export function createTurnMetrics(clock: Clock): TurnMetrics {
  const ended = createCounter("turngate_turns_total", "Turns that ended.", ["model", "provider", "status", "code"]);
  const duration = createHistogram(
    "turngate_turn_duration_seconds",
    "From a turn's begin to the storing of its end.",
    ["model"],
    DURATION_BOUNDS,
  );
  const firstOutput = createHistogram(
    "turngate_turn_first_output_seconds",
    "From a turn's begin to the first piece of its answer.",
    ["model"],
    FIRST_OUTPUT_BOUNDS,
  );
  const queued = createHistogram(
    "turngate_turn_queue_seconds",
    "From a turn's begin to the asking of its provider: its wait for a slot.",
    [],
    QUEUE_BOUNDS,
  );
  const tokens = createCounter("turngate_tokens_total", "Tokens used; the kinds do not overlap.", ["model", "kind"]);

  const charged = createCounter("turngate_credits_charged_total", "Credits charged for turns.", ["model"]);
  const shortfall = createCounter(
    "turngate_credits_shortfall_total",
    "Credits charged for turns that neither hold nor balance could pay: the service bears them.",
    ["model"],
  );

  function countTokens(model: string, usage: Usage): void {
    for (const [kind, amount] of divide(usage)) if (amount > 0) tokens.add(amount, model, kind);
  }

  return {
    families: [ended, duration, firstOutput, queued, tokens, charged, shortfall],
    turnStarted({ model, provider }: TurnStart): ObservedTurn {
      const startedMs = clock.monotonicMs();
      const elapsedSeconds = () => (clock.monotonicMs() - startedMs) / 1000;
      let hasOutput = false;
      return {
        asking(ask) {
          queued.observe(elapsedSeconds());
          return ask();
        },
        output() {
          if (hasOutput) return;
          hasOutput = true;
          firstOutput.observe(elapsedSeconds(), model);
        },
        ended({ status, code, usage, charge }: TurnReport) {
          ended.add(1, model, provider, status, code ?? "");
          duration.observe(elapsedSeconds(), model);
          if (usage !== null) countTokens(model, usage);
          if (charge !== null) {
            charged.add(toCredits(charge.chargedNano), model);
            shortfall.add(toCredits(charge.shortfallNano), model);
          }
        },
      };
    },
  };
}

/** For a graph: what is exact stands in the ledger. */
function toCredits(nano: bigint): number {
  return Number(nano) / Number(NANO_PER_CREDIT);
}

/** A usage in kinds that add up to its total: each has its own price. */
function divide(usage: Usage): readonly (readonly [kind: string, tokens: number])[] {
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const { reasoning_tokens: reasoning } = usage.output_tokens_details;
  return [
    ["input", usage.input_tokens - cached - written],
    ["cached_input", cached],
    ["cache_write", written],
    ["output", usage.output_tokens - reasoning],
    ["reasoning", reasoning],
  ];
}
