import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf } from "./periods.ts";

test("what is held counts as used, a raise adds to the limit, and a limit of 0 is used up", () => {
  assert.equal(shareOf({ limit: 100, spent: 30, held: 20 }), 0.5);
  assert.equal(shareOf({ limit: 100, spent: 100, held: 0, raise: { amount: 100, until: 1 } }), 0.5);
  assert.equal(shareOf({ limit: 0, spent: 0, held: 0 }), 1);
  assert.equal(shareOf({ limit: 0, spent: 5, held: 0 }), 1);
});
