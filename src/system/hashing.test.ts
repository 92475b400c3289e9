import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { KEY_FORMAT } from "../core/access/checked-secret.ts";
import { createSecrets } from "./hashing.ts";
import { createKeyedHash, createMatcher, isEqualText } from "./keyed-hash.ts";

const secrets = createSecrets("a root secret of thirty-two characters");
const others = createSecrets("a root secret of 32 other characters");

test("a minted key matches its hash and no other", () => {
  const minted = secrets.mintApiKey();
  assert.deepEqual(KEY_FORMAT.read(minted.secret), { lookup: minted.lookup, secret: minted.secret });
  assert.equal(minted.hash, secrets.hashKeySecret(minted.secret));
  assert.ok(secrets.matchesKeySecret(minted.secret, minted.hash));
  assert.ok(!secrets.matchesKeySecret(secrets.mintApiKey().secret, minted.hash));
  assert.ok(!secrets.matchesKeySecret(minted.secret, minted.hash.slice(1)));
  assert.ok(!secrets.matchesKeySecret(minted.secret, ""));
});

test("a proven secret matches its own hash again and no other hash, and no other secret matches that hash", () => {
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

test("a proven secret is not hashed again; beyond a thousand, all proven secrets are dropped", () => {
  let hashed = 0;
  const hashOf = (secret: string) => {
    hashed++;
    return `hash of ${secret}`;
  };
  const matches = createMatcher(hashOf);
  const prove = (count: number) => {
    hashed = 0;
    for (let secret = 0; secret < count; secret++) assert.ok(matches(`${secret}`, `hash of ${secret}`));
    return hashed;
  };
  assert.equal(prove(1000), 1000);
  assert.equal(prove(1000), 0);
  assert.ok(matches("one more", "hash of one more"));
  assert.equal(prove(1), 1);
});

test("two texts are equal if and only if all their characters are", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  fc.assert(fc.property(text, text, (one, other) => assert.equal(isEqualText(one, other), one === other)));
  fc.assert(fc.property(text, (one) => assert.ok(isEqualText(one, Array.from(one).join("")))));
});

test("the hashes depend on the root secret", () => {
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

test("ids of end users that differ only in their last character have different hashes, whatever their length", () => {
  for (const length of [1, 32, 63, 64, 65, 1000]) {
    const [one, other] = ["a", "b"].map((last) => secrets.hashEndUser("org_1", "x".repeat(length - 1) + last));
    assert.notEqual(one, other, `${length} characters`);
  }
});

test("a fingerprint is SHA-256 and needs no secret", () => {
  assert.equal(secrets.fingerprint("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(others.fingerprint("abc"), secrets.fingerprint("abc"));
});

test("a keyed hash is HMAC-SHA-256 in hexadecimal", () => {
  // RFC 4231, test cases 2 and 6: a short key, and one longer than a block.
  assert.equal(
    createKeyedHash(Buffer.from("Jefe"))("what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  assert.equal(
    createKeyedHash(Buffer.alloc(131, 0xaa))("Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  );
});
