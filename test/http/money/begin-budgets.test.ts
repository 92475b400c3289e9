// POST /v1/responses when a budget is spent: the HTTP error, and nothing begun.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

const SPENT_CHARACTERS = 396;

/** One token of input. */
const USAGE_OF_ONE = {
  ...USAGE,
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
};

/** Runs a response of 40 credits: one token of input, 399 of output. */
async function spendForty(purse: Purse): Promise<void> {
  const usage = { ...USAGE_OF_ONE, output_tokens: 399, total_tokens: 400 };
  service.provider.plays([
    [
      { type: "text", text: "x".repeat(SPENT_CHARACTERS) },
      { type: "usage", usage },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
}

describe("a spent budget is scope_budget_exceeded, and the message names it", () => {
  const rows: readonly [string, (purse: Purse) => BudgetName, string, RegExp][] = [
    [
      "the organization, in all",
      () => ({ scope: "organization", id: null, period: "total" }),
      "scope_budget_exceeded",
      /your organization is used up/,
    ],
    [
      "the organization, a month",
      () => ({ scope: "organization", id: null, period: "month" }),
      "scope_budget_exceeded",
      /organization for the month/,
    ],
    [
      "the organization, a day",
      () => ({ scope: "organization", id: null, period: "day" }),
      "scope_budget_exceeded",
      /organization for the day/,
    ],
    [
      "the organization's day",
      () => ({ scope: "organization-day", id: null, period: "day" }),
      "org_daily_budget_exceeded",
      /organization for the day/,
    ],
    [
      "a member",
      (purse) => ({ scope: "member", id: purse.memberId, period: "month" }),
      "scope_budget_exceeded",
      /the member .* for the month/,
    ],
    [
      "a key",
      (purse) => ({ scope: "key", id: purse.keyId, period: "total" }),
      "scope_budget_exceeded",
      /this API key is used up/,
    ],
  ];
  for (const [name, budgetOf, failure, scope] of rows) {
    test(name, async () => {
      const purse = await Purse.open(service, 100_000);
      await purse.setBudget(budgetOf(purse), 40);
      await spendForty(purse);
      await purse.assertNotBegun("scope_budget_exceeded", scope);
      await purse.assertNotBegun("scope_budget_exceeded", /: 40\.0 of 40\.0 credits are spent\.$/);
      await purse.agrees(credits(40));
    });

    test(`${name}: for a free model too`, async () => {
      const purse = await Purse.open(service, 100_000);
      await purse.setBudget(budgetOf(purse), 40);
      await spendForty(purse);
      await purse.assertNotBegun("scope_budget_exceeded", scope, { model: "test/all" });
      await purse.setBudget(budgetOf(purse), 40.001);
      assert.equal((await purse.create({ model: "test/all", input: "Hi" })).json.status, "completed");
    });

    test(`${name}: with a little left a turn starts`, async () => {
      const purse = await Purse.open(service, 100_000);
      await purse.setBudget(budgetOf(purse), 50);
      await spendForty(purse);
      // One token of input and 99 of output are the ten credits that are left.
      const usage = { ...USAGE_OF_ONE, output_tokens: 99, total_tokens: 100 };
      const finished = { type: "finished", incompleteReason: null } as const;
      service.provider.plays([[{ type: "text", text: "x".repeat(396) }, { type: "usage", usage }, finished]]);
      const { json } = await purse.create({ input: "Hi" });
      assert.equal(json.status, "completed", JSON.stringify(json));
      assert.deepEqual(await purse.transfersOf(json.id), [
        ["hold", credits(10)],
        ["settle", credits(10)],
      ]);
      await purse.assertNotBegun("scope_budget_exceeded", /50\.0 of 50\.0 credits/);
      await purse.agrees(credits(50));
    });

    test(`${name}: with less left than the input costs a turn starts, and ends before its provider is called`, async () => {
      const purse = await Purse.open(service, 100_000);
      await purse.setBudget(budgetOf(purse), 40.199);
      await spendForty(purse);
      const callsBefore = service.provider.calls.length;
      const { json } = await purse.create({ input: "Hi" });
      assert.deepEqual([json.status, json.error.code, json.usage.total_tokens], ["failed", failure, 0]);
      assert.equal(service.provider.calls.length, callsBefore);
      await purse.agrees(credits(40));
      await purse.setBudget(budgetOf(purse), 40.2);
      service.provider.plays([[{ type: "text", text: "four" }]]);
      assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
    });
  }

  test("the holds of running responses count, and the message reports them", async () => {
    const purse = await Purse.open(service, 100_000);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 200);
    await spendForty(purse);
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED], [opened, FINISHED]);
    const running = [purse.create({ input: "Hi" }), purse.create({ input: "Hi" })];
    while (service.gateway.runs.ofKey(purse.keyId).length < 2) await new Promise(setImmediate);
    assert.equal((await purse.balance()).held, credits(160));
    await purse.assertNotBegun("scope_budget_exceeded", /40\.0 of 200\.0 credits are spent, and 160\.0 are reserved/);
    // Holds may be released, and a free model needs none.
    assert.equal((await purse.create({ model: "test/all", input: "Hi" })).status, 200);
    open();
    await Promise.all(running);
  });

  test("a budget of another key, member or day does not apply", async () => {
    const purse = await Purse.open(service, 100_000);
    const other = await service.newKey(purse.organizationId);
    await purse.setBudget({ scope: "key", id: other.keyId, period: "total" }, 0);
    await purse.setBudget({ scope: "organization-day", id: null, period: "day" }, 40);
    await spendForty(purse);
    const rejected = await service.create(
      { model: "test/priced", input: "Hi", max_output_tokens: 16 },
      { key: other.secret },
    );
    assertApiError(rejected, { status: 429, code: "scope_budget_exceeded", message: /API key/ });
    await purse.assertNotBegun("scope_budget_exceeded", /day/);
    await service.clock.advance(86_400_000);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("budgets are checked before the balance, and the balance must pay too", async () => {
    const purse = await Purse.open(service, 1);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 0);
    await purse.assertNotBegun("scope_budget_exceeded", /0\.0 of 0\.0 credits/);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 1);
    await purse.assertNotBegun("insufficient_credits", /balance of 1\.0 credits .* 100\.1/);
  });
});
