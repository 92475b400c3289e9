// Exports the content of turns to a collector of the operator, if one is configured. Metrics, traces and logs never
// have content (docs/observability.md, Content).
import type { OutputItem } from "../contract/items.ts";
import type { Prompt } from "../core/turn/prompt.ts";
import type { TurnReport, TurnStart } from "./telemetry.ts";

/** A turn whose end is stored, with its prompt and its output. */
export interface SpokenTurn {
  readonly organizationId: string;
  readonly start: TurnStart;
  readonly prompt: Prompt;
  readonly output: readonly OutputItem[];
  readonly report: TurnReport;
  /** When it began and when its end was stored: Unix milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
}

export interface ContentExport {
  /** Takes a turn, to be sent later. Returns at once and never throws; a turn that cannot be kept is dropped. */
  turnEnded(turn: SpokenTurn): void;
}
