import assert from "node:assert/strict";
import { test } from "node:test";
import { commonRules, someRuleCovers } from "./model-rules.ts";

test("a rule is about its id, or with a star about all ids that begin alike", () => {
  for (const [rule, id, isCovered] of [
    ["acme/small", "acme/small", true],
    ["acme/small", "acme/smaller", false],
    ["acme/*", "acme/small", true],
    ["acme/*", "acme/*", true],
    ["acme/s*", "acme/small", true],
    ["acme/s*", "acme/*", false],
    ["acme/*", "acme", false],
    ["*", "acme/small", true],
  ] as const) {
    assert.equal(someRuleCovers(["other/one", rule], id), isCovered, `${rule} ${id}`);
  }
});

test("what two lists have in common is about the models that both are about", () => {
  assert.deepEqual(commonRules(["a/x", "b/y"], ["b/y", "a/z"]), ["b/y"]);
  assert.deepEqual(commonRules(["a/*"], ["a/x", "b/y"]), ["a/x"]);
  assert.deepEqual(commonRules(["a/x", "a/y"], ["a/*", "b/*"]), ["a/x", "a/y"]);
  assert.deepEqual(commonRules(["a/*", "b/z"], ["a/g*", "b/*"]), ["b/z", "a/g*"]);
  assert.deepEqual(commonRules(["a/*"], ["b/*"]), []);
});
