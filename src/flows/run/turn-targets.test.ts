import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOf } from "../../../test/support/targets.ts";
import { chooseTarget } from "./turn-targets.ts";

const ranked = ["a", "b", "c"].map((name) => targetOf(name));

/** The name of the target that is chosen; `rests` are in the order of the targets, seconds. */
function choose({ rests = [0, 0, 0], tried = "", out = "" }: { rests?: number[]; tried?: string; out?: string }) {
  const named = (names: string) => new Set(ranked.filter(({ provider }) => names.includes(provider)));
  const readinessOf = (target: string) => {
    const restsForMs = (rests["abc".indexOf(target.slice(0, 1))] ?? 0) * 1000;
    return { restsForMs, askedForMs: 0 };
  };
  return chooseTarget({ readinessOf }, ranked, { tried: named(tried), out: named(out) })?.target.provider;
}

test("the first target that is awake and was not tried is chosen, then the one that can be asked soonest", () => {
  assert.equal(choose({}), "a");
  assert.equal(choose({ tried: "a" }), "b");
  assert.equal(choose({ rests: [9, 0, 0] }), "b");
  assert.equal(choose({ rests: [9, 0, 0], tried: "b" }), "c");
  assert.equal(choose({ rests: [9, 0, 0], tried: "bc" }), "b");
  assert.equal(choose({ tried: "abc" }), "a");
});

test("when all targets rest, the one that wakes first is chosen", () => {
  assert.equal(choose({ rests: [9, 3, 5] }), "b");
  assert.equal(choose({ rests: [9, 3, 3], tried: "b" }), "c");
});

test("a target that is out is never chosen", () => {
  assert.equal(choose({ rests: [9, 0, 0], out: "bc" }), "a");
  assert.equal(choose({ out: "abc" }), undefined);
});
