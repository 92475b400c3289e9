import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTime } from "../../parts/format.ts";
import { describe } from "./describe.ts";

test("values of the audit log are words, and times are those of the person", () => {
  const at = 1_795_534_200;
  const local = formatTime(at).text;
  for (const [field, value, words] of [
    ["member", null, "none"],
    ["deny_models", [], "none"],
    ["deny_models", ["a/x", "b/y"], "a/x, b/y"],
    ["plan", false, "no"],
    ["limit", 200, "200 credits"],
    ["open_streams", 50, "50"],
    ["expires_at", at, local],
    ["old_secret_valid_until", at, local],
    ["raise", { amount: 5, until: at }, `amount 5 credits, until ${local}`],
  ] as const) {
    assert.equal(
      describe(field, value, (amount) => `${amount} credits`),
      words,
    );
  }
  assert.equal(describe("limit", undefined, String), null);
});
