// The cost of an input grows linearly with its number of items. docs/reliability.md, F-43
import assert from "node:assert/strict";
import { test } from "node:test";
import { COST_RATIO_MAX, costRatio } from "../../../test/support/cost.ts";
import { readUserTurn } from "./user-turn.ts";

test("the cost of outputs without calls and text grows linearly with their number", () => {
  const ratio = costRatio(500, (size) => {
    const outputs = Array.from({ length: size }, (_, index) => {
      return { type: "function_call_output", index, callId: `call_${index}`, output: "1" } as const;
    });
    assert.throws(() => readUserTurn(outputs, { isFirstTurn: true, holdsItem: () => false }));
  });
  assert.ok(ratio < COST_RATIO_MAX, `eight times as many took ${ratio.toFixed(1)} times as long`);
});
