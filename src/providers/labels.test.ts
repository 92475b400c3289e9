import assert from "node:assert/strict";
import test from "node:test";
import { createLabels } from "./labels.ts";

test("what fits stays, what does not is bent to fit, and both ways lead back", () => {
  const labels = createLabels(["toolu_1", "a.b", "a b", "a_b", "", "ümlaut", "x".repeat(200), "a.b"]);
  const rows: [string, string][] = [
    ["toolu_1", "toolu_1"],
    ["a_b", "a_b"],
    ["a.b", "a_b_2"],
    ["a b", "a_b_3"],
    ["", "_"],
    ["ümlaut", "_mlaut"],
    ["x".repeat(200), "x".repeat(128)],
  ];
  for (const [original, label] of rows) {
    assert.equal(labels.toWire(original), label);
    assert.equal(labels.fromWire(label), original);
    assert.match(label, /^[a-zA-Z0-9_-]{1,128}$/);
  }
  assert.equal(labels.fromWire("unheard_of"), "unheard_of");
});

test("a wire with rules of its own bends by them", () => {
  const rule = { fits: /^[a-z_][a-z0-9_.]{0,19}$/, misfits: /[^a-z0-9_.]/gu, charactersMax: 20 };
  const labels = createLabels(["a.b", "1.b", "", "-", "é".repeat(30), "9".repeat(30)], rule);
  const rows: [string, string][] = [
    ["a.b", "a.b"],
    ["1.b", "_1.b"],
    ["", "_"],
    ["-", "__2"],
    ["é".repeat(30), "_".repeat(20)],
    ["9".repeat(30), `_${"9".repeat(19)}`],
  ];
  for (const [original, label] of rows) {
    assert.equal(labels.toWire(original), label);
    assert.equal(labels.fromWire(label), original);
    assert.match(label, rule.fits);
  }
});

test("two long labels that differ at their ends only stay apart", () => {
  const labels = createLabels([`${"é".repeat(128)}1`, `${"é".repeat(128)}2`]);
  assert.equal(labels.toWire(`${"é".repeat(128)}1`), "_".repeat(128));
  assert.equal(labels.toWire(`${"é".repeat(128)}2`), `${"_".repeat(120)}_2`);
});

test("a label that has been counted already is passed over", () => {
  const labels = createLabels(["a_2", "a!", "a?", "a_", "a_3", "a_5"]);
  assert.deepEqual(
    ["a!", "a?", "a_2", "a_3"].map((original) => labels.toWire(original)),
    ["a__2", "a__3", "a_2", "a_3"],
  );
});

test("a hundred thousand that are bent alike are told apart in one go", () => {
  const originals = Array.from({ length: 100_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + (index % 300), 0x4e00 + Math.floor(index / 300)),
  );
  const labels = createLabels(originals);
  assert.equal(new Set(originals.map((original) => labels.toWire(original))).size, originals.length);
});

test("a label that was not announced is a bug", () => {
  assert.throws(() => createLabels([]).toWire("x"), /not among the labels/);
});
