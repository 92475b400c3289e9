import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { GrowingText } from "./growing-text.ts";

test("the whole text is all deltas in order, however often it is read", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 }), (deltas) => {
      const text = new GrowingText();
      assert.ok(text.isEmpty);
      for (const [index, delta] of deltas.entries()) {
        text.add(delta);
        assert.ok(!text.isEmpty);
        if (index % 50 === 0) assert.equal(text.whole(), deltas.slice(0, index + 1).join(""));
      }
      assert.equal(text.whole(), deltas.join(""));
    }),
    { numRuns: 50 },
  );
});
