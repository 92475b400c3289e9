import assert from "node:assert/strict";
import { test } from "node:test";
import { type BudgetName, type BudgetRequest, describeBudget, parseBudget, readBudgetName } from "./budgets.ts";

test("a budget is identified by its scope, its owner and its period", () => {
  const rows: readonly (readonly [BudgetRequest, object])[] = [
    [{ scope: "organization" }, { scope: "organization", id: null, period: "total" }],
    [
      { scope: "organization", period: "month" },
      { scope: "organization", id: null, period: "month" },
    ],
    [{ scope: "organization-day" }, { scope: "organization-day", id: null, period: "day" }],
    [
      { scope: "organization-day", period: "day" },
      { scope: "organization-day", id: null, period: "day" },
    ],
    [
      { scope: "member", id: "mem_1" },
      { scope: "member", id: "mem_1", period: "total" },
    ],
    [
      { scope: "key", id: "key_1", period: "day" },
      { scope: "key", id: "key_1", period: "day" },
    ],
    [{ scope: "response" }, { scope: "response", id: null, period: "total" }],
    [
      { scope: "response", period: "total" },
      { scope: "response", id: null, period: "total" },
    ],
  ];
  for (const [request, expected] of rows) assert.deepEqual(readBudgetName(request), expected);
});

test("the message names what is missing or contradictory", () => {
  const rows: readonly (readonly [BudgetRequest, RegExp])[] = [
    [{ scope: "member" }, /member needs the id/],
    [{ scope: "key", period: "day" }, /key needs the id/],
    [{ scope: "organization", id: "org_1" }, /organization takes no id.*org_1/],
    [{ scope: "organization-day", id: "org_1" }, /organization-day takes no id/],
    [{ scope: "response", id: "resp_1" }, /response takes no id/],
    [{ scope: "organization-day", period: "month" }, /organization-day always has the period day, but month/],
    [{ scope: "response", period: "day" }, /response takes no period, but day/],
  ];
  for (const [request, expected] of rows) {
    const name = readBudgetName(request);
    assert.match("wrong" in name ? name.wrong : "nothing wrong", expected);
  }
});

test("the text of a budget's name is read back; no other text is one", () => {
  const rows: readonly (readonly [string, BudgetName])[] = [
    ["organization month", { scope: "organization", id: null, period: "month" }],
    ["organization-day", { scope: "organization-day", id: null, period: "day" }],
    ["member mem_1 total", { scope: "member", id: "mem_1", period: "total" }],
    ["key key_1 day", { scope: "key", id: "key_1", period: "day" }],
    ["response", { scope: "response", id: null, period: "total" }],
  ];
  for (const [text, name] of rows) {
    assert.equal(describeBudget(name), text);
    assert.deepEqual(parseBudget(text), name);
  }
  for (const text of ["", "key_1", "key day", "key key_1 week", "response total", "organization", "member a b day"])
    assert.equal(parseBudget(text), null, text);
});
