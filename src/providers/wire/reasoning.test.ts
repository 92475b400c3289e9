import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetOfEffort, effortOfBudget } from "./reasoning.ts";

test("a budget is equivalent to the lowest effort whose budget covers it", () => {
  const rows = [
    [1, "low"],
    [1_024, "low"],
    [1_025, "medium"],
    [8_192, "medium"],
    [8_193, "high"],
    [24_576, "high"],
    [24_577, "xhigh"],
    [1_000_000_000, "xhigh"],
  ] as const;
  for (const [budget, effort] of rows) assert.equal(effortOfBudget(budget), effort);
});

test("an effort's budget is equivalent to the effort; efforts above high have the budget of high", () => {
  for (const effort of ["low", "medium", "high"] as const) assert.equal(effortOfBudget(budgetOfEffort(effort)), effort);
  assert.equal(budgetOfEffort("xhigh"), budgetOfEffort("high"));
});
