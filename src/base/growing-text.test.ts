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
        const whole = deltas.slice(0, index + 1).join("");
        assert.equal(text.isEmpty, whole === "");
        assert.equal(text.length, whole.length);
        if (index % 50 === 0) assert.equal(text.whole(), whole);
      }
      assert.equal(text.whole(), deltas.join(""));
    }),
    { numRuns: 50 },
  );
});

test("a growing text is compared with another as a text is", () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 2 }), { maxLength: 100 });
  fc.assert(
    fc.property(pieces, fc.nat(120), fc.boolean(), fc.constantFrom("", "a", "b"), (deltas, length, isRead, more) => {
      const text = new GrowingText();
      for (const [index, delta] of deltas.entries()) {
        text.add(delta);
        if (isRead && index === 70) text.whole();
      }
      const whole = deltas.join("");
      const other = whole.slice(0, length) + more;
      assert.equal(text.startsWith(other), whole.startsWith(other));
      assert.equal(text.isStartOf(other), other.startsWith(whole));
    }),
  );
});
