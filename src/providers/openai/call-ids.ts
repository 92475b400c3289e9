// Ids of calls that other families made, brought into what this wire takes back: a history may come from anywhere.
import { createHash } from "node:crypto";

/** Longest call_id that the API takes back, characters: a longer one is a 400 (`string_above_max_length`). */
const CALL_ID_CHARACTERS_MAX = 64;

export interface CallIds {
  /** The id of a call that comes next in the history. */
  begin(callId: string): string;
  /** The id of the output of the latest call of that call_id. */
  answer(callId: string): string;
}

/**
 * The ids under which the calls of one history and their outputs are sent: their own, or a digest where one is longer than the wire
 * allows, or is used again: there are servers that count their calls from zero in every answer.
 */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  const latest = new Map<string, { readonly wireId: string; readonly count: number }>();
  return {
    begin(callId) {
      let wireId = callId;
      // Goes on where the last call of this call_id ended: an id that is used a thousand times takes a thousand steps, not half a million.
      let count = latest.get(callId)?.count ?? 0;
      while (wireId === "" || wireId.length > CALL_ID_CHARACTERS_MAX || used.has(wireId)) {
        count++;
        wireId = digest(`${count} ${callId}`);
      }
      used.add(wireId);
      latest.set(callId, { wireId, count });
      return wireId;
    },
    answer: (callId) => latest.get(callId)?.wireId ?? callId,
  };
}

function digest(text: string): string {
  return `call_${createHash("sha256").update(text).digest("base64url")}`;
}
