import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "./passwords.ts";

const passwords = createPasswords();

test("a password gives its hash again, another one does not", async () => {
  const hash = await passwords.hash("correct horse battery");
  assert.match(hash, /^argon2id\$m=19456,t=2,p=1\$[\w-]+\$[\w-]+$/);
  assert.equal(await passwords.matches("correct horse battery", hash), true);
  assert.equal(await passwords.matches("correct horse batterz", hash), false);
  assert.notEqual(await passwords.hash("correct horse battery"), hash, "every hash has a salt of its own");
});

test("nobody's password matches nothing", async () => {
  assert.equal(await passwords.matches("", null), false);
});

test("however a letter is written, it is that letter", async () => {
  const hash = await passwords.hash("caf\u00e9 au lait 1");
  assert.equal(await passwords.matches("cafe\u0301 au lait 1", hash), true);
});

test("many at once all get their answer", async () => {
  const hash = await passwords.hash("twelve letters");
  const answers = await Promise.all(Array.from({ length: 9 }, () => passwords.matches("twelve letters", hash)));
  assert.ok(answers.every(Boolean));
});

test("a hash of a kind that is not known is an error, not a no", async () => {
  await assert.rejects(passwords.matches("x", "md5$x"), /does not know/);
});
