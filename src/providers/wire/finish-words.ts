// Why a model ended, in the words of many servers. Gateways pass on the words of the models behind them, in any case.
import { hideSecrets } from "./secrets.ts";
import type { RoundDecoding } from "./round-decoding.ts";

/** `ended`: by itself. `cut`: at a limit. `filtered`: the server held output back, a refusal. `broken`: the output cannot be used. */
export type Ending = "ended" | "cut" | "filtered" | "broken";

const WORDS: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  ...["stop", "end", "end_turn", "eos", "eos_token", "stop_sequence", "stop_token", "complete", "completed"].map(ended),
  ...["tool_calls", "tool_call", "tool_use", "function_call", "function_calls"].map(ended),
  ...["length", "max_tokens", "max_length", "max_output_tokens", "model_length", "pause_turn"].map(cut),
  ...["model_context_window_exceeded", "context_window_exceeded"].map(cut),
  ...["content_filter", "content_filtered", "sensitive", "refusal", "safety", "recitation", "language"].map(filtered),
  ...["blocklist", "prohibited_content", "spii", "guardrail_intervened", "model_armor"].map(filtered),
]);

function ended(word: string): readonly [string, Ending] {
  return [word, "ended"];
}

function cut(word: string): readonly [string, Ending] {
  return [word, "cut"];
}

function filtered(word: string): readonly [string, Ending] {
  return [word, "filtered"];
}

/**
 * The ending of a finish reason. An unknown one is `broken`: a reply that was cut must not look whole. Only a filter may name its cause
 * behind a colon (`content_filter: SAFETY`).
 */
export function endingOfWord(reason: string): Ending {
  const word = reason.trim().toLowerCase();
  const before = word.split(":", 1)[0]?.trim() ?? "";
  return WORDS.get(word) ?? (WORDS.get(before) === "filtered" ? "filtered" : "broken");
}

/** The ending of a model that names several: to end by itself behind a limit or a filter does not make the output whole. */
export function combineEndings<Known extends Ending | "withheld" | "continued">(
  earlier: Known | null,
  later: Known,
): Known {
  const isStopped = earlier === "cut" || earlier === "filtered" || earlier === "withheld";
  return isStopped && later === "ended" ? earlier : later;
}

/** The error of an output that ended with a reason after which it cannot be used; null: with none. */
export function brokenEnding(decoding: Pick<RoundDecoding, "fail" | "head">, reason: string | null) {
  if (reason === null) return decoding.fail("The provider's response ended without saying why the model did.");
  // Quoted if it is short, and holds no secret.
  const isShown = /^[\w :.-]{1,80}$/.test(reason) && hideSecrets(reason, decoding.head.secrets) === reason;
  const quoted = isShown ? reason : "an unknown reason";
  return decoding.fail(`The model's response cannot be used: it ended with ${quoted}.`);
}
