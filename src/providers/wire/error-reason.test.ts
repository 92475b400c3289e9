import assert from "node:assert/strict";
import test from "node:test";
import { REASON_CHARACTERS_MAX } from "./bounds.ts";
import { cleanReason } from "./error-reason.ts";

test("a reason is one printable line", () => {
  assert.equal(cleanReason(" a\nb\u0000\u001b[31mc\u202e\u2028d ", []), "a b [31mc d");
});

test("a reason is cut at 500 characters and never within one", () => {
  const reason = cleanReason("🎉".repeat(600), []) ?? "";
  assert.equal(Array.from(reason).length, REASON_CHARACTERS_MAX);
  assert.ok(reason.isWellFormed());
  assert.ok(reason.endsWith("🎉…"));
});

test("the key is redacted everywhere, also across the cut", () => {
  assert.equal(cleanReason("Bad key sk-12345, sk-12345!", ["sk-12345"]), "Bad key [redacted], [redacted]!");
  const reason = cleanReason(`${"x".repeat(REASON_CHARACTERS_MAX - 6)}sk-1234567890`, ["sk-1234567890"]) ?? "";
  assert.ok(!reason.includes("sk-1"), reason);
});

test("a key too short to be a secret is not redacted", () => {
  assert.equal(cleanReason("fake says no", ["k"]), "fake says no");
  assert.equal(cleanReason("ollama has no such model", ["ollama"]), "ollama has no such model");
});

test("an empty message is null", () => {
  assert.equal(cleanReason(" \n ", []), null);
});
