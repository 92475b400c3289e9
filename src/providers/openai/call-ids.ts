// Call ids that this wire accepts in a history, which may come from a client or another family.
import { createHash } from "node:crypto";

/** Longest call_id that the API accepts, characters; a longer one is a 400 (`string_above_max_length`). */
const CALL_ID_CHARACTERS_MAX = 64;

/**
 * The ids sent for the calls of one history and their outputs: their own, or a digest if an id is too long or used twice, since some
 * servers number their calls from zero in every response.
 */
export function createCallIds() {
  const used = new Set<string>();
  const latest = new Map<string, { readonly wireId: string; readonly count: number }>();
  return {
    /** The id of the next call in the history. */
    begin(callId: string): string {
      let wireId = callId;
      // Continues from the last call with this call_id: an id used a thousand times takes a thousand steps, not half a million.
      let count = latest.get(callId)?.count ?? 0;
      while (wireId === "" || wireId.length > CALL_ID_CHARACTERS_MAX || used.has(wireId)) {
        count++;
        wireId = digest(`${count} ${callId}`);
      }
      used.add(wireId);
      latest.set(callId, { wireId, count });
      return wireId;
    },
    /** The id for the output of the latest call with that call_id. */
    output: (callId: string): string => latest.get(callId)?.wireId ?? callId,
  };
}

function digest(text: string): string {
  return `call_${createHash("sha256").update(text).digest("base64url")}`;
}
