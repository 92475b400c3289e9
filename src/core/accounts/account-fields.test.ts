import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../contract/errors.ts";
import { readEmail, readKeyName, readOrganizationName, readPassword } from "./account-fields.ts";

function refusal(read: () => unknown): Refusal {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  return assert.fail("nothing was refused");
}

test("a name is trimmed, and is a line of text", () => {
  assert.equal(readOrganizationName("  Acme GmbH "), "Acme GmbH");
  for (const text of ["", "   ", "a\nb", "x".repeat(201), "org_1"]) {
    assert.equal(refusal(() => readOrganizationName(text)).param, "name", text);
  }
});

test("a key's name has three characters, counted as people do", () => {
  assert.equal(readKeyName("web"), "web");
  assert.equal(readKeyName("😀😀😀"), "😀😀😀");
  assert.match(refusal(() => readKeyName(" ab ")).message, /name is "ab"; allowed: at least 3 characters/);
});

test("an e-mail address is one person's in every letter case", () => {
  assert.equal(readEmail(" Ada@Acme.Test "), "ada@acme.test");
  for (const text of ["ada", "a@", "a b@c", "a@b@c", `${"x".repeat(300)}@c`]) {
    assert.equal(refusal(() => readEmail(text)).param, "email", text);
  }
});

test("a password has twelve characters, and a refusal never repeats it", () => {
  assert.equal(readPassword("password", " twelve chars"), " twelve chars");
  const { message, param } = refusal(() => readPassword("new_password", "short"));
  assert.equal(param, "new_password");
  assert.doesNotMatch(message, /"|short/);
});
