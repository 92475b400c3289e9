import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../contract/errors.ts";
import { createPasswords } from "./passwords.ts";

const passwords = createPasswords();

test("a password matches its hash, another one does not", async () => {
  const hash = await passwords.hash("correct horse battery");
  assert.match(hash, /^argon2id\$m=19456,t=2,p=1\$[\w-]+\$[\w-]+$/);
  assert.equal(await passwords.matches("correct horse battery", hash), true);
  assert.equal(await passwords.matches("correct horse batterz", hash), false);
  assert.notEqual(await passwords.hash("correct horse battery"), hash, "every hash has its own salt");
});

test("no password matches without a hash", async () => {
  assert.equal(await passwords.matches("", null), false);
});

test("different encodings of a letter match", async () => {
  const hash = await passwords.hash("caf\u00e9 au lait 1");
  assert.equal(await passwords.matches("cafe\u0301 au lait 1", hash), true);
});

test("concurrent checks all complete", async () => {
  const hash = await passwords.hash("twelve letters");
  const answers = await Promise.all(Array.from({ length: 9 }, () => passwords.matches("twelve letters", hash)));
  assert.ok(answers.every(Boolean));
});

test("a flood of checks is rejected beyond a bound, and those within it complete", async () => {
  const checks = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.matches("x", null)));
  const rejected = checks.filter((check) => check.status === "rejected");
  assert.equal(rejected.length, 8);
  for (const { reason } of rejected) {
    assert.ok(reason instanceof ApiError && reason.code === "gateway_overloaded", String(reason));
  }
  assert.equal(await passwords.matches("x", null), false, "there is room again");
});

test("a hash of an unknown format is an error, not a mismatch", async () => {
  await assert.rejects(passwords.matches("x", "md5$x"), /does not know/);
});
