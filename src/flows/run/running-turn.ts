// The records of a turn between its begin and its end: `BegunTurn` has what the turn occupies; `RunningTurn` adds its output,
// telemetry and times.
import type { Plan } from "../../core/turn/plan.ts";
import type { Provider } from "../../ports/provider.ts";
import type { ObservedTurn } from "../../ports/telemetry.ts";
import type { SpendingMeter } from "../money/spending-meter.ts";
import type { OutputShare } from "./output-room.ts";
import type { Run } from "./run.ts";
import type { RunRecorder } from "./run-recorder.ts";
import type { Slot } from "./slots.ts";
import type { TurnOutput } from "./turn-output.ts";

/**
 * Plans the prompt of a turn again, from the history as it is now: with fewer turns after its provider has refused it as
 * too long, for the `refusals`th time.
 */
export type Replan = (plan: Plan, refusals: number) => Promise<Plan>;

/** A turn that is stored as begun, with all that it occupies until it ends. */
export interface BegunTurn {
  readonly run: Run;
  readonly plan: Plan;
  /** Plans the prompt again, from the history as it is now; null: the turn continues none. */
  readonly replan: Replan | null;
  /** The provider that it was planned with, whatever is configured since. */
  readonly provider: Provider;
  readonly slot: Slot;
  /** Null when its model is free. */
  readonly meter: SpendingMeter | null;
  readonly share: OutputShare;
}

/** A turn while it runs. `output` owns its meter and its share. */
export interface RunningTurn extends Omit<BegunTurn, "plan" | "meter" | "share"> {
  /** Replaced when its prompt is planned again. */
  plan: Plan;
  readonly output: TurnOutput;
  /** For metrics and traces. */
  readonly observed: ObservedTurn;
  /** For the log of turns. */
  readonly recorder: RunRecorder;
  /** Unix milliseconds. */
  readonly beganMs: number;
}
