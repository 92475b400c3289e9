/** The content of the fake provider's responses, independent of the wire. */

/** Deltas of a long stream. */
export const DELTAS = 200;
/** Deltas that are written at once in a burst. */
export const BURST_DELTAS = 10;
/** Deltas of a paced stream, and the time between them. */
export const PACED_DELTAS = 10;
export const PACED_MS = 5;
/** The beginning of every delta: its first occurrence on the wire is the first delta. */
export const DELTA_MARKER = "lorem ";

/** The text of an immediate response. */
export const RESPONSE_TEXT = `${DELTA_MARKER}ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.`;
/** Usage that every response reports. */
export const TOKENS = { input: 800, output: 200 };

/** The n-th delta: about 20 bytes. */
export function deltaText(index: number): string {
  return `${DELTA_MARKER}ipsum dol ${String(index).padStart(3, "0")} `;
}
