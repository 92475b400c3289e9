// The parts of a model's output that become items, in the order of arrival. The other parts (ports/provider.ts) concern
// the response as a whole.
import type { MessagePhase, UrlCitation } from "../../contract/items.ts";

/**
 * A message opens with its first text or refusal and closes with the first part of another kind. Several calls may be
 * open at once; `index`, any number unique in the response, tells them apart.
 */
export type OutputPart =
  /**
   * The next text or refusal opens a new message of this phase. Optional: only for several messages in a row, or with
   * phases.
   */
  | { readonly type: "message_started"; readonly phase: MessagePhase | null }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "annotation"; readonly annotation: UrlCitation }
  /** A refusal of the model; `text` is its explanation, empty when the provider gives none. */
  | { readonly type: "refusal"; readonly text: string }
  | { readonly type: "call_started"; readonly index: number; readonly callId: string; readonly name: string }
  | { readonly type: "call_arguments"; readonly index: number; readonly delta: string }
  | { readonly type: "call_finished"; readonly index: number }
  /** A whole reasoning item. */
  | { readonly type: "reasoning"; readonly summary: readonly string[]; readonly encryptedContent: string | null };
