import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { emailOf, readEmail, readKeyName, readOrganizationName, readPassword } from "./account-fields.ts";

function rejection(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  return assert.fail("nothing was rejected");
}

test("a name is trimmed and is a single line", () => {
  assert.equal(readOrganizationName("  Acme GmbH "), "Acme GmbH");
  for (const text of ["", "   ", "a\nb", "x".repeat(201), "org_1"]) {
    assert.equal(rejection(() => readOrganizationName(text)).param, "name", text);
  }
});

test("a name has no line separators, turns no text around and shows something", () => {
  for (const name of ["abc\u2028def", "a\u2029b c", "pay\u202etnem", "\u2066abc", "\u200b\u200b\u200b"])
    assert.match(rejection(() => readKeyName(name)).message, /on one line/, JSON.stringify(name));
  assert.equal(readKeyName("👩‍💻 Ada"), "👩‍💻 Ada");
  assert.equal(readKeyName("مفتاح"), "مفتاح");
});

test("the message about a name that is too long says its length", () => {
  assert.match(rejection(() => readOrganizationName("x".repeat(201))).message, /has 201 characters/);
  assert.match(rejection(() => readOrganizationName(`${"x".repeat(198)}\ny`)).message, /is "x+\\ny"/);
});

test("a key's name has at least three characters, counted as code points", () => {
  assert.equal(readKeyName("web"), "web");
  assert.equal(readKeyName("😀😀😀"), "😀😀😀");
  assert.match(rejection(() => readKeyName(" ab ")).message, /name is "ab"; allowed: at least 3 characters/);
});

test("e-mail addresses are case-insensitive", () => {
  assert.equal(readEmail(" Ada@Acme.Test "), "ada@acme.test");
  for (const text of ["ada", "a@", "a b@c", "a@b@c", `${"x".repeat(300)}@c`]) {
    assert.equal(rejection(() => readEmail(text)).param, "email", text);
  }
});

test("an address never becomes another one by its letters or white space outside ASCII", () => {
  assert.equal(readEmail("\r\n Ren\u00e9@Acme.Test\t"), "ren\u00e9@acme.test");
  for (const text of [
    "\u212aate@acme.test",
    "kate@acme.test\u0130",
    "REN\u00c9@acme.test",
    "\ufeffkate@acme.test",
    "kate@acme.test\u00a0",
  ]) {
    assert.equal(emailOf(text), null, JSON.stringify(text));
    assert.match(rejection(() => readEmail(text)).message, /letters outside ASCII in lower case/);
  }
});

test("an address may have long white space around it", () => {
  assert.equal(emailOf(`${" ".repeat(100_000)}kate@acme.test${" ".repeat(100_000)}`), "kate@acme.test");
});

test("a password has at least twelve characters, and the message never repeats it", () => {
  assert.equal(readPassword("password", " twelve chars"), " twelve chars");
  const { message, param } = rejection(() => readPassword("new_password", "short"));
  assert.equal(param, "new_password");
  assert.doesNotMatch(message, /"|short/);
});
