// Call ids that a wire accepts in a history, which may come from a client or another provider with looser rules.
import { createHash } from "node:crypto";
import type { PromptItem } from "../../core/response/prompt.ts";

/** The call ids that a wire accepts. */
export interface CallIdRule {
  isValid(callId: string): boolean;
  /** A valid id made of a digest: base64url, 43 characters. */
  fromDigest(digest: string): string;
}

/** The rule of a wire that accepts any characters, up to a number of them from 40. */
export function callIdsUpTo(charactersMax: number): CallIdRule {
  return {
    isValid: (callId) => callId !== "" && callId.length <= charactersMax,
    fromDigest: (digest) => `call_${digest}`.slice(0, charactersMax),
  };
}

/**
 * The ids to send for the calls of a prompt and their results, by their ids there: their own if valid, else a digest.
 */
export function createCallIds(
  items: readonly PromptItem[],
  { isValid, fromDigest }: CallIdRule,
): ReadonlyMap<string, string> {
  const sent = new Map<string, string>();
  const invalid: string[] = [];
  for (const item of items) {
    if (item.type !== "call") continue;
    if (isValid(item.callId)) sent.set(item.callId, item.callId);
    else invalid.push(item.callId);
  }
  const used = new Set(sent.keys());
  for (const callId of invalid) {
    let id = fromDigest(digestOf(callId));
    // A client may have used the digest of another id.
    for (let attempt = 1; used.has(id); attempt++) id = fromDigest(digestOf(`${attempt} ${callId}`));
    used.add(id);
    sent.set(callId, id);
  }
  return sent;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
