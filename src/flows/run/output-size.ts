// The size of a provider's part: its characters for limits and charges, its bytes for memory. @spec resources/usage
import { countCharacters } from "../../contract/characters.ts";
import { countJsonBytes } from "../../base/json.ts";
import type { KeptPart, ProviderPart } from "../../ports/provider.ts";

/**
 * Longest output of one response, bytes, with its reasoning, also that which has not been emitted: a longer one takes
 * too long to store and to send in one piece.
 */
export const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** Largest round state, bytes of JSON. The largest outputs of any model need half of it. */
export const STATE_BYTES_MAX = 1024 * 1024;

/**
 * The number of characters that a part adds to the output, whether they are emitted or wait in the decoder. `kept` is
 * what the decoder kept before. A part that only reports on the response adds 0. The number is negative when the
 * decoder keeps less than before.
 */
export function growthBy(part: ProviderPart, kept: KeptPart): number {
  switch (part.type) {
    case "kept":
      return part.waitingCharacters - kept.waitingCharacters;
    case "text":
    case "refusal":
      return countCharacters(part.text);
    case "call_arguments":
      return countCharacters(part.delta);
    case "reasoning":
      return part.summary.reduce((sum, text) => sum + countCharacters(text), 0);
    default:
      return 0;
  }
}

/** Rough overhead of an item besides its texts, in all places where it is kept. */
const BYTES_PER_ITEM = 500;

/** Bytes of output in a part, as JSON; 0 for a part that only reports on the response. */
export function outputBytesOf(part: ProviderPart): number {
  switch (part.type) {
    case "text":
    case "refusal":
      return countJsonBytes(part.text);
    case "call_arguments":
      return countJsonBytes(part.delta);
    case "call_started":
      return BYTES_PER_ITEM + countJsonBytes(part.callId) + countJsonBytes(part.name);
    case "annotation":
      return BYTES_PER_ITEM + countJsonBytes(part.annotation.url) + countJsonBytes(part.annotation.title);
    case "reasoning":
      return part.summary.reduce(
        (sum, text) => sum + countJsonBytes(text),
        BYTES_PER_ITEM + countJsonBytes(part.encryptedContent ?? ""),
      );
    case "message_started":
      return BYTES_PER_ITEM;
    default:
      return 0;
  }
}

/** A running response keeps its output twice: in the builder, and in the provider's decoder. */
const RUNNING_COPIES = 2;
/** Copies of an output while it is settled: the whole, its rows on the way to the store, its reply. */
const SETTLED_COPIES = 8;

/** Bytes in memory for a running response with so many bytes of output. */
export function runningBytes(bytes: number, { waitingBytes, stateBytes, bufferedBytes }: KeptPart): number {
  return (bytes + waitingBytes) * RUNNING_COPIES + stateBytes + bufferedBytes;
}

/** Bytes in memory while it is settled. */
export function settlingBytes(bytes: number, { stateBytes }: KeptPart): number {
  return (bytes + stateBytes) * SETTLED_COPIES;
}

/** Whether an output of so many bytes is too long, with what its decoder keeps. */
export function isTooLarge(bytes: number, { waitingBytes, stateBytes }: KeptPart): boolean {
  return bytes + waitingBytes > OUTPUT_BYTES_MAX || stateBytes > STATE_BYTES_MAX;
}
