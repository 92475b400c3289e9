import assert from "node:assert/strict";
import test from "node:test";
import { createMatch } from "./pattern.ts";

test("a match matches its pattern and has the required length", () => {
  const patterns = [
    "^[a-z]{3}$",
    "^[A-Z][a-z]+ \\d{4}$",
    "^(?:red|green)(-light)?$",
    "^\\+?[0-9]{7,15}$",
    "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
    "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
    "abc",
    "^.*$",
    "^[\\w.-]+$",
    "^\\$\\d+(\\.\\d{2})?$",
    "^#([A-Fa-f0-9]{6})$",
    "^[\\]x]$",
    "^(a|b|c){2,3}$",
    "",
    "^a+?b$",
  ];
  for (const pattern of patterns) {
    for (const length of [0, 1, 6]) {
      const match = createMatch(pattern, length);
      assert.ok(match !== null, pattern);
      assert.match(match, new RegExp(pattern, "u"));
    }
  }
  assert.equal(createMatch("^[a-z]+$", 5)?.length, 5);
});

test("an unsupported pattern gives null quickly", () => {
  for (const pattern of [
    "^(?=a)b$",
    "(?<!x)",
    "\\1",
    "\\p{L}",
    "a{5000}",
    "(a{900}){900}",
    "[",
    "(",
    "*",
    "a)",
    "[z-a]{2",
  ]) {
    const match = createMatch(pattern, 0);
    assert.ok(match === null || match.length < 2_000, pattern);
  }
});
