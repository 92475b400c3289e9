// The prompt of one round, independent of the provider. Each family encodes it for its wire.
// @spec endpoints/post-responses
import type { MessagePhase } from "../../contract/items.ts";
import type { SentSettings } from "./request.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";

/** One entry of the history, oldest first. */
export type PromptItem =
  | { readonly type: "message"; readonly role: "user" | "system" | "developer"; readonly text: string }
  | {
      readonly type: "assistant";
      readonly text: string;
      /** Whether the message holds a refusal; its text may be empty then. */
      readonly isRefusal: boolean;
      readonly phase: MessagePhase | null;
    }
  | {
      readonly type: "call";
      /** Unique in the prompt. */
      readonly callId: string;
      /** Null for a carried exchange: the tool's name is not sent; a provider that needs one sends a neutral word. */
      readonly name: string | null;
      readonly arguments: string;
    }
  | { readonly type: "result"; readonly callId: string; readonly name: string | null; readonly output: string }
  /**
   * Opaque state of an earlier round of the same turn and model; it precedes that round's output. `callIds`: the ids
   * that its calls have in the prompt, by the call_ids that the model gave them; a call that is not sent has none.
   */
  | { readonly type: "state"; readonly state: unknown; readonly callIds: ReadonlyMap<string, string> };

/** Everything a provider needs for one round. Nothing is sent of a setting that the turn did not set. */
export interface Prompt extends SentSettings {
  readonly instructions: string | null;
  readonly items: readonly PromptItem[];
  /** The call_ids of the history that no call of `items` has. A new call must not repeat them either. */
  readonly otherCallIds: readonly string[];
  readonly tools: readonly EchoedTool[];
  readonly toolChoice: EchoedToolChoice;
  /** Output limit, tokens: the effective limit, or the model's default when none was set. */
  readonly maxOutputTokens: number;
  /** Whether a client set maxOutputTokens; where the wire does not require it, a default may be left out. */
  readonly maxOutputTokensSet: boolean;
  /** Keyed hash of the end user, hexadecimal; null when none was sent. */
  readonly endUserHash: string | null;
  /** The characters that were sent, once the texts have been dropped; absent: they are there. */
  readonly droppedCharacters?: number;
}

/**
 * Drops the texts of a prompt that its provider has, wherever the prompt is held: a response may take minutes. What a
 * decoder asks for stays, the call_ids and the number of characters.
 */
export function dropTexts(prompt: Prompt, characters: number): void {
  const calls = prompt.items.flatMap((item) => (item.type === "call" ? [{ ...item, arguments: "" }] : []));
  Object.assign(prompt, { items: calls, droppedCharacters: characters });
}
