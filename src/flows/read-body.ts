// The body of a request as JSON. A short body is parsed at once; a long one is scanned in slices, with other requests
// served in between. docs/decisions/bodies.md
import { type Operation, ROUTE_OF } from "../contract/routes.ts";
import { BodyScanner } from "../core/reading/scan/body-scanner.ts";
import { type JsonBody, readScannedBody, readSmallBody } from "../core/reading/json-body.ts";
import type { Selection } from "../core/reading/scan/selection.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

/** Bytes scanned in one turn of the event loop: some ten milliseconds for the slowest input. */
const SLICE_BYTES = 512 * 1024;

/** Reads the body of an operation, of which the selected parts become values. Throws 400 `invalid_input`. */
export async function readBody(bytes: Uint8Array, operation: Operation, selection: Selection): Promise<JsonBody> {
  const presence = ROUTE_OF[operation].body ?? "optional";
  const small = readSmallBody(bytes, presence);
  if (small !== null) return small;
  const scan = new BodyScanner(bytes, selection);
  while (!scan.step(SLICE_BYTES)) await yieldToEventLoop();
  return readScannedBody(scan, presence);
}
