import assert from "node:assert/strict";
import test from "node:test";
import { createWireNames } from "./wire-names.ts";

test("valid names are unchanged, others are mapped, and both map back", () => {
  const names = createWireNames(["toolu_1", "a.b", "a b", "a_b", "", "ümlaut", "x".repeat(200), "a.b"]);
  const rows: [string, string][] = [
    ["toolu_1", "toolu_1"],
    ["a_b", "a_b"],
    ["a.b", "a_b_2"],
    ["a b", "a_b_3"],
    ["", "_"],
    ["ümlaut", "_mlaut"],
    ["x".repeat(200), "x".repeat(128)],
  ];
  for (const [original, wireName] of rows) {
    assert.equal(names.toWire(original), wireName);
    assert.equal(names.fromWire(wireName), original);
    assert.match(wireName, /^[a-zA-Z0-9_-]{1,128}$/);
  }
  assert.equal(names.fromWire("unheard_of"), "unheard_of");
});

test("names are mapped by the rules of their wire", () => {
  const rule = { valid: /^[a-z_][a-z0-9_.]{0,19}$/, invalidCharacters: /[^a-z0-9_.]/gu, charactersMax: 20 };
  const names = createWireNames(["a.b", "1.b", "", "-", "é".repeat(30), "9".repeat(30)], rule);
  const rows: [string, string][] = [
    ["a.b", "a.b"],
    ["1.b", "_1.b"],
    ["", "_"],
    ["-", "__2"],
    ["é".repeat(30), "_".repeat(20)],
    ["9".repeat(30), `_${"9".repeat(19)}`],
  ];
  for (const [original, wireName] of rows) {
    assert.equal(names.toWire(original), wireName);
    assert.equal(names.fromWire(wireName), original);
    assert.match(wireName, rule.valid);
  }
});

test("two long names that differ only at their ends stay distinct", () => {
  const names = createWireNames([`${"é".repeat(128)}1`, `${"é".repeat(128)}2`]);
  assert.equal(names.toWire(`${"é".repeat(128)}1`), "_".repeat(128));
  assert.equal(names.toWire(`${"é".repeat(128)}2`), `${"_".repeat(120)}_2`);
});

test("a counted name that is taken already is skipped", () => {
  const names = createWireNames(["a_2", "a!", "a?", "a_", "a_3", "a_5"]);
  assert.deepEqual(
    ["a!", "a?", "a_2", "a_3"].map((original) => names.toWire(original)),
    ["a__2", "a__3", "a_2", "a_3"],
  );
});

test("a hundred thousand names that map alike become distinct in linear time", () => {
  const originals = Array.from({ length: 100_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + (index % 300), 0x4e00 + Math.floor(index / 300)),
  );
  const names = createWireNames(originals);
  assert.equal(new Set(originals.map((original) => names.toWire(original))).size, originals.length);
});

test("a name that was not announced is a bug", () => {
  assert.throws(() => createWireNames([]).toWire("x"), /not among the names/);
});
