import assert from "node:assert/strict";
import { test } from "node:test";
import { applyFault } from "./fault.ts";
import { findMutants } from "./mutator.ts";

/** Every mutant of a text, in the order of their places. */
const mutantsOf = (text: string) =>
  findMutants("a.ts", text)
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .map((mutant) => applyFault(text, mutant));

for (const [text, ...mutants] of [
  ["a(b < c);", ";", "a(b <= c);"],
  ["return_ = a === b;", ";", "return_ = a !== b;"],
  ["const a = b && !c;", "const a = b || !c;", "const a = b && c;"],
  ["const a = b ?? c;", "const a = b;"],
  ["const a = b?.c?.[0]?.();", "const a = b.c?.[0]?.();", "const a = b?.c[0]?.();", "const a = b?.c?.[0]();"],
  ["const a = true;", "const a = false;"],
  ["const a = b ? 1 : 2;", "const a = true ? 1 : 2;", "const a = false ? 1 : 2;"],
  ["if (a) b();", "if (true) b();", "if (false) b();", "if (a) ;"],
  ["if (a) throw new Error();", "if (true) throw new Error();"],
  ["const a = b + c;", "const a = b - c;"],
  ['const a = "b" + c;'],
  ["const a: true = b as true;"],
  ["log.info(a);"],
  ["await this.#world.log.warn(a);"],
  ["const a = `and b <= c`;", "const a = `or b <= c`;", "const a = `and b < c`;"],
  ["const a = packing<B>({ c: true });"],
  ["const a = `now <= then`;"],
] as const) {
  test(`the faults of ${text}`, () => assert.deepEqual(mutantsOf(text), mutants));
}
