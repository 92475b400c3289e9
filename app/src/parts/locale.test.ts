import assert from "node:assert/strict";
import { test } from "node:test";
import { knownLocale } from "./locale.ts";

test("a locale that Intl does not know becomes American English", () => {
  const rows = [
    ["en-GB", "en-GB"],
    ["de", "de"],
    ["en-US@posix", "en-US"],
    ["C", "en-US"],
    ["", "en-US"],
  ] as const;
  for (const [named, known] of rows) {
    assert.equal(knownLocale(named), known, named);
    assert.doesNotThrow(() => new Intl.NumberFormat(knownLocale(named)));
  }
  assert.throws(() => new Intl.NumberFormat("en-US@posix"), RangeError);
});
