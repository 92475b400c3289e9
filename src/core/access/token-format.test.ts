import assert from "node:assert/strict";
import { test } from "node:test";
import { SECRET_RANDOM_BYTES } from "./checked-secret.ts";
import { makeKey, readKey } from "./key-format.ts";
import { makeToken, readToken } from "./token-format.ts";

test("a new token parses, and is not an API key", () => {
  const bytes = new Uint8Array(SECRET_RANDOM_BYTES).fill(9);
  const made = makeToken(bytes);
  assert.match(made.secret, /^adm_[0-9A-Za-z]{50}$/);
  assert.deepEqual(readToken(made.secret), made);
  assert.equal(made.secret.slice(4, 16), made.lookup);
  assert.equal(readKey(made.secret), null);
  assert.equal(readToken(makeKey(bytes).secret), null);
  assert.equal(readToken(made.secret.replace("adm_", "sk_")), null);
});
