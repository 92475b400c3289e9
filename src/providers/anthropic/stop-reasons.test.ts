import assert from "node:assert/strict";
import test from "node:test";
import { endingOf } from "./stop-reasons.ts";

test("each stop reason has its ending, in any case, also the words of other servers; an unknown one is broken", () => {
  const rows = [
    ["end_turn", "ended"],
    ["stop_sequence", "ended"],
    ["tool_use", "ended"],
    ["refusal", "filtered"],
    ["max_tokens", "cut"],
    ["model_context_window_exceeded", "cut"],
    ["pause_turn", "cut"],
    ["MAX_TOKENS", "cut"],
    ["stop", "ended"],
    ["length", "cut"],
    ["unheard_of", "broken"],
    ["constructor", "broken"],
  ] as const;
  for (const [stopReason, ending] of rows) assert.equal(endingOf(stopReason), ending);
});
