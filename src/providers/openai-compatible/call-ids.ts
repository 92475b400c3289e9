// Call ids that a server accepts in a history, which may come from a client or another provider with looser rules.
import { createHash } from "node:crypto";
import type { ModelTraits } from "./model-traits.ts";

/** Longest id that OpenAI's own chat completions and compatible servers accept, characters. */
const CHARACTERS_MAX = 40;
const SHORT_ID = /^[a-zA-Z0-9]{9}$/;

/** The id sent for a call and its result: its own if valid, else a digest of it. */
export function encodeCallId(callId: string, { wantsShortCallIds }: ModelTraits): string {
  if (wantsShortCallIds) return SHORT_ID.test(callId) ? callId : digest(callId).replace(/[-_]/g, "").slice(0, 9);
  if (callId !== "" && callId.length <= CHARACTERS_MAX) return callId;
  return `call_${digest(callId)}`.slice(0, CHARACTERS_MAX);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
