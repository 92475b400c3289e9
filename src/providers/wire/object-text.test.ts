import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { isObjectText } from "./calls.ts";
import { objectText, ObjectText } from "./object-text.ts";

const ALMOST_JSON = fc.oneof(
  fc.json(),
  fc.object().map((value) => JSON.stringify(value)),
  fc.object().map((value) => ` ${JSON.stringify(value, null, 2)}\n`),
  fc
    .array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", " ", "a", "{}", '{"a":'), { maxLength: 12 })
    .map((all) => all.join("")),
);

test("however a text is cut, it is an object exactly when the whole text is one", () => {
  fc.assert(
    fc.property(ALMOST_JSON, fc.array(fc.nat(30)), (text, cuts) => {
      const growing = new ObjectText();
      let at = 0;
      for (const cut of [...cuts, text.length]) {
        growing.add(text.slice(at, at + cut));
        at = Math.min(text.length, at + cut);
        assert.equal(growing.isObject(), isObjectText(text.slice(0, at)), text.slice(0, at));
        if (at === text.length) break;
      }
      growing.add(text.slice(at));
      assert.equal(growing.whole(), text);
      assert.equal(growing.length, text.length);
      assert.equal(objectText(text).isObject(), isObjectText(text));
    }),
    { numRuns: 3000 },
  );
});
