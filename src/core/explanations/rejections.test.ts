import assert from "node:assert/strict";
import { test } from "node:test";
import { plainParam } from "./rejections.ts";

test("of a field, only its own name is kept", () => {
  for (const [param, kept] of [
    [null, null],
    ["model", "model"],
    ["max_output_tokens", "max_output_tokens"],
    ["input[3].content", "input"],
    ["svc:unanswered_calls", "svc:unanswered_calls"],
    ["metadata.a client's secret", "metadata"],
    ["a client's word", null],
    ["sk_GsZ6jnxB0DGV9Xh2", null],
    ["x".repeat(41), null],
    ["", null],
  ] as const) {
    assert.equal(plainParam(param), kept, String(param));
  }
});
