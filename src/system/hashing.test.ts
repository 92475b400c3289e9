import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { readKey } from "../core/accounts/keys.ts";
import { createKeyedHash, createSecrets, isEqualText } from "./hashing.ts";

const secrets = createSecrets("a root secret of thirty-two characters");
const others = createSecrets("a root secret of 32 other characters");

test("a minted key matches its hash and no other", () => {
  const minted = secrets.mintApiKey();
  assert.deepEqual(readKey(minted.secret), { lookup: minted.lookup, secret: minted.secret });
  assert.equal(minted.hash, secrets.hashKeySecret(minted.secret));
  assert.ok(secrets.matchesKeySecret(minted.secret, minted.hash));
  assert.ok(!secrets.matchesKeySecret(secrets.mintApiKey().secret, minted.hash));
  assert.ok(!secrets.matchesKeySecret(minted.secret, minted.hash.slice(1)));
  assert.ok(!secrets.matchesKeySecret(minted.secret, ""));
});

test("a secret that was proven matches again: its own hash, and no other secret that hash", () => {
  const minted = Array.from({ length: 1100 }, () => secrets.mintApiKey());
  for (let round = 0; round < 2; round++) {
    for (const [index, { secret, hash }] of minted.entries()) {
      const other = minted[(index + 1) % minted.length] as (typeof minted)[number];
      assert.ok(secrets.matchesKeySecret(secret, hash));
      assert.ok(!secrets.matchesKeySecret(other.secret, hash));
      assert.ok(!secrets.matchesKeySecret(secret, other.hash));
      assert.ok(!secrets.matchesKeySecret(secret.slice(0, -1), hash));
      assert.ok(!secrets.matchesKeySecret(`${secret.slice(0, -1)}\u{1F511}`, hash));
    }
  }
});

test("texts are equal when every character is", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  fc.assert(fc.property(text, text, (one, other) => assert.equal(isEqualText(one, other), one === other)));
  fc.assert(fc.property(text, (one) => assert.ok(isEqualText(one, Array.from(one).join("")))));
});

test("the hashes hang on the root secret", () => {
  const { secret, hash } = secrets.mintApiKey();
  assert.ok(createSecrets("a root secret of thirty-two characters").matchesKeySecret(secret, hash));
  assert.ok(!others.matchesKeySecret(secret, hash));
});

test("an end user's hash differs between organizations, root secrets and purposes", () => {
  const hashes = [
    secrets.hashEndUser("org_1", "ada"),
    secrets.hashEndUser("org_2", "ada"),
    secrets.hashEndUser("org_1", "bob"),
    others.hashEndUser("org_1", "ada"),
    secrets.hashKeySecret("org_1\0ada"),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(secrets.hashEndUser("org_1", "ada"), hashes[0]);
  for (const hash of hashes) assert.match(hash, /^[0-9a-f]{64}$/);
});

test("a fingerprint is SHA-256 and needs no secret", () => {
  assert.equal(secrets.fingerprint("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(others.fingerprint("abc"), secrets.fingerprint("abc"));
});

test("a keyed hash is HMAC-SHA-256, whatever the text and its length", () => {
  const key = randomBytes(32);
  const hashOf = createKeyedHash(key);
  const text = fc.string({ unit: "binary", maxLength: 400 });
  fc.assert(
    fc.property(text, (given) => {
      assert.equal(hashOf(given), createHmac("sha256", key).update(given).digest("hex"));
    }),
  );
});
