// What a round put out, as it goes back in the later rounds of its turn: encrypted reasoning before the calls it led to. Without
// ids: with `store: false` they lead nowhere. Kept with the model's name: nobody else can read its reasoning.
import type { MessagePhase } from "../../contract/items.ts";
import { isRecord } from "../json-shape.ts";

/** An output item in the shape in which it is input. */
export type RoundItem = RoundReasoning | RoundMessage | RoundCall;

export interface RoundReasoning {
  readonly type: "reasoning";
  readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
  /** OpenAI's. */
  readonly encrypted_content?: string;
  /** Other servers' of this wire: plain text, which OpenAI would refuse. */
  readonly content?: readonly { readonly type: "reasoning_text"; readonly text: string }[];
}

export interface RoundMessage {
  readonly type: "message";
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

/** The state that a round leaves for the next. */
export function createRoundState(upstreamModel: string, items: readonly RoundItem[]): unknown {
  return { model: upstreamModel, items };
}

/** The items of a round; none when its state is another family's or another model's. */
export function readRoundState(state: unknown, upstreamModel: string): readonly RoundItem[] {
  if (!isRecord(state) || state.model !== upstreamModel || !Array.isArray(state.items)) return [];
  const items: readonly unknown[] = state.items;
  // All or nothing: half a round would be sent beside what is rebuilt of it.
  return items.every(isRoundItem) ? items : [];
}

function isRoundItem(value: unknown): value is RoundItem {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "reasoning":
      return Array.isArray(value.summary);
    case "message":
      return value.role === "assistant" && Array.isArray(value.content);
    case "function_call":
      return [value.call_id, value.name, value.arguments].every((field) => typeof field === "string");
    default:
      return false;
  }
}
