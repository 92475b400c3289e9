// What is sent to a model, in no provider's words. The adapters of providers/ encode it.
// @spec endpoints/post-responses
import type { MessagePhase } from "../../contract/items.ts";
import type { TextFormat, Verbosity } from "../../contract/settings.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";

/** One step of the history, oldest first. */
export type PromptItem =
  | { readonly type: "message"; readonly role: "user" | "system" | "developer"; readonly text: string }
  | { readonly type: "answer"; readonly text: string; readonly declined: boolean; readonly phase: MessagePhase | null }
  | {
      readonly type: "call";
      readonly callId: string;
      /** Null for a carried exchange: the tool's name is not sent, an adapter that needs one uses a neutral word. */
      readonly name: string | null;
      readonly arguments: string;
    }
  | { readonly type: "result"; readonly callId: string; readonly name: string | null; readonly output: string }
  /** Opaque state of an earlier round of this same turn and model, standing before what that round put out. */
  | { readonly type: "state"; readonly state: unknown };

/** Everything a provider needs for one round. */
export interface Prompt {
  readonly instructions: string | null;
  readonly items: readonly PromptItem[];
  readonly tools: readonly EchoedTool[];
  readonly toolChoice: EchoedToolChoice;
  /** Each setting is null when the turn did not set it: an adapter then sends nothing. */
  readonly parallelToolCalls: boolean | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly format: TextFormat | null;
  readonly verbosity: Verbosity | null;
  /** What the turn may put out, tokens: the effective limit, or the model's default when none was set. */
  readonly maxOutputTokens: number;
  /** Whether maxOutputTokens was set by a client (an adapter for a wire where it is optional may leave a default out). */
  readonly maxOutputTokensSet: boolean;
  /** Keyed hash of the end user, hexadecimal; null when none was sent. */
  readonly endUserHash: string | null;
}
