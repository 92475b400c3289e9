import assert from "node:assert/strict";
import test from "node:test";
import { incompleteReasonOf } from "./stop-reasons.ts";

test("a model that stopped early is incomplete with a reason, any other is complete", () => {
  const rows: [string | null, string | null][] = [
    ["end_turn", null],
    ["stop_sequence", null],
    ["tool_use", null],
    ["refusal", null],
    ["max_tokens", "max_output_tokens"],
    ["model_context_window_exceeded", "max_output_tokens"],
    ["pause_turn", "max_output_tokens"],
    ["unheard_of", null],
    ["constructor", null],
    [null, null],
  ];
  for (const [stopReason, reason] of rows) assert.equal(incompleteReasonOf(stopReason), reason);
});
