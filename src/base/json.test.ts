import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { countJsonBytes } from "./json.ts";

const TEXT = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", maxLength: 1 }),
    fc.constantFrom("a", '"', "\\", "\n", "\u0001", "\u007f"),
  ),
});

test("the size is that of JSON.stringify in bytes, without the quotes", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      const whole = text.toWellFormed();
      assert.equal(countJsonBytes(whole), Buffer.byteLength(JSON.stringify(whole)) - 2);
    }),
  );
});
