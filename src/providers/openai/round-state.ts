// The output of a round, sent back in the later rounds of its turn: encrypted reasoning before the calls it led to. The state names the
// model: no other can decrypt its reasoning.
import type { MessagePhase } from "../../contract/items.ts";
import { isJsonObject } from "../../base/json.ts";

/** An output item as an input item. */
export type RoundItem = RoundReasoning | RoundMessage | RoundCall;

export interface RoundReasoning {
  readonly type: "reasoning";
  readonly id?: string;
  readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
  /** From OpenAI. */
  readonly encrypted_content?: string;
  /** From other servers of this wire: plain text, which OpenAI rejects. */
  readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
}

export type RoundMessage = RoundText | RoundParts;

export interface RoundText {
  readonly type: "message";
  readonly role: "assistant";
  readonly content: string;
  readonly phase?: MessagePhase;
}

/** A message with a refusal. */
export interface RoundParts {
  readonly type: "message";
  readonly id?: string;
  readonly role: "assistant";
  readonly status: "completed";
  readonly content: readonly RoundPart[];
  readonly phase?: MessagePhase;
}

export type RoundPart =
  | { readonly type: "output_text"; readonly text: string; readonly annotations: readonly [] }
  | { readonly type: "refusal"; readonly refusal: string };

export interface RoundCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The state of a round, for the next one. */
export function createRoundState(upstreamModel: string, items: readonly RoundItem[]): unknown {
  return { model: upstreamModel, items };
}

/** The items of a round; none if the state is from another family or model. */
export function readRoundState(state: unknown, upstreamModel: string): readonly RoundItem[] {
  if (!isJsonObject(state) || state.model !== upstreamModel || !Array.isArray(state.items)) return [];
  const items: readonly unknown[] = state.items;
  // All or none: the rest of a partial round would be sent twice.
  return items.every(isRoundItem) ? items : [];
}

function isRoundItem(value: unknown): value is RoundItem {
  if (!isJsonObject(value)) return false;
  switch (value.type) {
    case "reasoning":
      return Array.isArray(value.summary);
    case "message":
      return value.role === "assistant" && (typeof value.content === "string" || Array.isArray(value.content));
    case "function_call":
      return [value.call_id, value.name, value.arguments].every((field) => typeof field === "string");
    default:
      return false;
  }
}
