// The body of a request as JSON. A short body is parsed at once; a long one is scanned in slices, with other requests
// served in between. docs/decisions/bodies.md
import { BodyScanner } from "../core/reading/scan/body-scanner.ts";
import { type JsonBody, readScannedBody, readSmallBody } from "../core/reading/json-body.ts";
import type { Selection } from "../core/reading/scan/selection.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/** Bytes scanned in one turn of the event loop: some ten milliseconds for the slowest input. */
const SLICE_BYTES = 512 * 1024;

/** The form of body that an operation expects. */
export interface BodyForm {
  readonly presence: "required" | "optional";
  /** The parts that become values. */
  readonly selection: Selection;
}

/** Reads a body. Throws 400 `invalid_input`. */
export async function readBody(bytes: Uint8Array, { presence, selection }: BodyForm): Promise<JsonBody> {
  const small = readSmallBody(bytes, presence);
  if (small !== null) return small;
  const scan = new BodyScanner(bytes, selection);
  while (!scan.step(SLICE_BYTES)) await yieldToEventLoop();
  return readScannedBody(scan, presence);
}
