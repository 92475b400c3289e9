import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readIdempotencyKey } from "./key.ts";

test("no key and an empty key are ignored", () => {
  assert.equal(readIdempotencyKey([]), null);
  assert.equal(readIdempotencyKey([""]), null);
});

test("printable ASCII is a key, spaces included, up to 255 bytes", () => {
  let printable = "";
  for (let code = 0x20; code <= 0x7e; code++) printable += String.fromCharCode(code);
  for (const key of [printable, "a b", " ", "k".repeat(255)]) assert.equal(readIdempotencyKey([key]), key);
});

test("256 bytes are rejected, param null", () => {
  assertInvalidInput(() => readIdempotencyKey(["k".repeat(256)]), null, "255", "256");
});

for (const key of ["a\tb", "a\u007f", "clé", "\u0080", "a\nb", "😀", "a\u0000"]) {
  test(`${JSON.stringify(key)} contains other characters and is rejected, param null`, () => {
    assertInvalidInput(() => readIdempotencyKey([key]), null, "printable ASCII");
  });
}

test("two headers are rejected, even if equal or empty", () => {
  assertInvalidInput(() => readIdempotencyKey(["a", "a"]), null);
  assertInvalidInput(() => readIdempotencyKey(["", ""]), null);
});
