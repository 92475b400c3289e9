// Exports the content of responses to a collector of the operator, if one is configured. Metrics, traces and logs never
// have content (docs/observability.md, Content).
import type { OutputItem } from "../contract/items.ts";
import type { Prompt } from "../core/response/prompt.ts";
import type { ResponseReport, ResponseStart } from "./telemetry.ts";

/** A response whose end is stored, with its prompt and its output. */
export interface SpokenResponse {
  readonly start: ResponseStart;
  readonly prompt: Prompt;
  readonly output: readonly OutputItem[];
  readonly report: ResponseReport;
  /** When it began and when its end was stored: Unix milliseconds. */
  readonly beganMs: number;
  readonly endedMs: number;
}

export interface ContentExport {
  /**
   * Takes a response, to be sent later. Returns at once and never throws; a response that cannot be kept is dropped.
   */
  responseEnded(response: SpokenResponse): void;
}
