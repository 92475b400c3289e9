// State of a round with calls and thinking, for the turn's next rounds: its content blocks in order, thinking with its
// signature. A call is only its call_id; name and arguments are in the history.
import { isJsonObject } from "../../base/json.ts";
import type { WireReasoning, WireText } from "./wire.ts";

export type RoundBlock = WireReasoning | WireText | { readonly type: "call"; readonly callId: string };

/** The state of a round. */
export function createRoundState(blocks: readonly RoundBlock[]): unknown {
  return { blocks };
}

/** The blocks of a state; null if it is not of this family. */
export function readRoundState(state: unknown): readonly RoundBlock[] | null {
  if (!isJsonObject(state) || !Array.isArray(state.blocks)) return null;
  const blocks: readonly unknown[] = state.blocks;
  return blocks.every(isRoundBlock) ? blocks : null;
}

function isRoundBlock(block: unknown): block is RoundBlock {
  if (!isJsonObject(block)) return false;
  switch (block.type) {
    case "thinking":
      return typeof block.thinking === "string" && typeof block.signature === "string";
    case "redacted_thinking":
      return typeof block.data === "string";
    case "text":
      return typeof block.text === "string";
    case "call":
      return typeof block.callId === "string";
    default:
      return false;
  }
}
