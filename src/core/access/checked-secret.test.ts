import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { KEY_FORMAT, SECRET_RANDOM_BYTES, TOKEN_FORMAT } from "./checked-secret.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a new key parses to its look-up id and its whole secret", () => {
  for (let round = 0; round < 200; round++) {
    const made = KEY_FORMAT.make(randomBytes(SECRET_RANDOM_BYTES));
    assert.match(made.secret, /^sk_[0-9A-Za-z]{50}$/);
    assert.deepEqual(KEY_FORMAT.read(made.secret), made);
    assert.equal(made.secret.slice(3, 15), made.lookup);
  }
});

test("the same bytes make the same key, different bytes a different one", () => {
  const bytes = new Uint8Array(SECRET_RANDOM_BYTES).fill(7);
  assert.deepEqual(KEY_FORMAT.make(bytes), KEY_FORMAT.make(bytes));
  assert.notDeepEqual(KEY_FORMAT.make(bytes), KEY_FORMAT.make(bytes.with(47, 8)));
  assert.throws(() => KEY_FORMAT.make(new Uint8Array(16)));
});

test("the checksum is the CRC-32 of the preceding characters, in base62", () => {
  const { secret } = KEY_FORMAT.make(new Uint8Array(SECRET_RANDOM_BYTES).fill(255));
  let number = 0;
  for (const digit of secret.slice(-6)) number = number * 62 + BASE62.indexOf(digit);
  assert.equal(number, crc32(secret.slice(0, -6)));
});

test("one wrong character anywhere is detected", () => {
  const { secret } = KEY_FORMAT.make(new Uint8Array(SECRET_RANDOM_BYTES).fill(1));
  for (let place = 0; place < secret.length; place++) {
    for (const digit of BASE62) {
      if (digit === secret[place]) continue;
      assert.equal(KEY_FORMAT.read(secret.slice(0, place) + digit + secret.slice(place + 1)), null);
    }
  }
});

test("a malformed key is detected", () => {
  const { secret } = KEY_FORMAT.make(new Uint8Array(SECRET_RANDOM_BYTES).fill(1));
  const wrong = [
    "",
    "sk_",
    "sk_test",
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    `${secret}\n`,
    secret.toUpperCase(),
    secret.replace("sk_", "sk-"),
    "x".repeat(100_000),
  ];
  for (const text of wrong) assert.equal(KEY_FORMAT.read(text), null);
});

test("a new token parses, and is not an API key", () => {
  const bytes = new Uint8Array(SECRET_RANDOM_BYTES).fill(9);
  const made = TOKEN_FORMAT.make(bytes);
  assert.match(made.secret, /^adm_[0-9A-Za-z]{50}$/);
  assert.deepEqual(TOKEN_FORMAT.read(made.secret), made);
  assert.equal(made.secret.slice(4, 16), made.lookup);
  assert.equal(KEY_FORMAT.read(made.secret), null);
  assert.equal(TOKEN_FORMAT.read(KEY_FORMAT.make(bytes).secret), null);
  assert.equal(TOKEN_FORMAT.read(made.secret.replace("adm_", "sk_")), null);
});
