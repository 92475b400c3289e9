import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses } from "../../../test/support/turns.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

test("no key and an empty key are ignored", () => {
  assert.equal(readIdempotencyKey([]), null);
  assert.equal(readIdempotencyKey([""]), null);
});

test("printable ASCII is a key, spaces included, up to 255 bytes", () => {
  let printable = "";
  for (let code = 0x20; code <= 0x7e; code++) printable += String.fromCharCode(code);
  for (const key of [printable, "a b", " ", "k".repeat(255)]) assert.equal(readIdempotencyKey([key]), key);
});

test("256 bytes are refused, param null", () => {
  assertRefuses(() => readIdempotencyKey(["k".repeat(256)]), null, "255", "256");
});

for (const key of ["a\tb", "a\u007f", "clé", "\u0080", "a\nb", "😀", "a\u0000"]) {
  test(`${JSON.stringify(key)} holds other characters and is refused, param null`, () => {
    assertRefuses(() => readIdempotencyKey([key]), null, "printable ASCII");
  });
}

test("two headers are refused, equal ones too, and empty ones", () => {
  assertRefuses(() => readIdempotencyKey(["a", "a"]), null);
  assertRefuses(() => readIdempotencyKey(["", ""]), null);
});
