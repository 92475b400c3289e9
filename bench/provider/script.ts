/** What the fake provider says, in no wire's words. */

/** Deltas of a long stream. */
export const DELTAS = 200;
/** Deltas that the provider writes at once in a burst. */
export const BURST_DELTAS = 10;
/** Deltas of a paced stream, and the time between two. */
export const PACED_DELTAS = 10;
export const PACED_MILLISECONDS = 5;
/** Stands at the start of every delta: the first one on the wire is the first delta. */
export const DELTA_MARKER = "lorem ";

/** The text of an instant answer. */
export const ANSWER = `${DELTA_MARKER}ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.`;
/** Tokens that every answer is said to have cost. */
export const TOKENS = { input: 800, output: 200 };

/** The n-th delta: about 20 bytes. */
export function deltaText(index: number): string {
  return `${DELTA_MARKER}ipsum dol ${String(index).padStart(3, "0")} `;
}
