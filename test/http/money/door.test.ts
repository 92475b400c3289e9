// Money at the door: what a turn is refused for before it begins. @spec errors/http-error-codes; docs/wire.md, settled 14
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { BudgetName } from "../../../src/core/accounts/budgets.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { TESTS } from "../../support/actor.ts";
import { assertRefused } from "../../support/refused.ts";
import { FINISHED, gate, says, USAGE } from "../../support/scripted-provider.ts";
import { TestService } from "../../support/service.ts";
import { dumpTables } from "../../support/tables.ts";

const service = await TestService.start({ models: PRICED_MODELS });
after(() => service.close());

/** One token of input and the first thousand of output, a tenth of a credit each. */
const HOLD = credits(100.1);

const SPENT_CHARACTERS = 396;

/** Has a turn cost 40 credits: one token of input, 399 of output. */
async function spendForty(purse: Purse): Promise<void> {
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 399,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 400,
  };
  service.provider.plays([
    [
      { type: "text", text: "x".repeat(SPENT_CHARACTERS) },
      { type: "usage", usage },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  assert.equal((await purse.create({ input: "Hi" })).json.status, "completed");
}

/** Asserts a refusal of both kinds of create, that says so, calls no provider, consumes no key, and changes nothing. */
async function assertTurnedAway(purse: Purse, code: string, message: RegExp): Promise<void> {
  const before = dumpTables(service.path);
  const asked = service.provider.calls.length;
  for (const stream of [false, true]) {
    const answer = await purse.create({ input: "Hi", stream }, { "idempotency-key": "never consumed" });
    assertRefused(answer, { status: 429, code, message });
    assert.equal(answer.json.error.type, code === "insufficient_quota" ? code : "rate_limit_error");
    assert.equal(answer.headers["x-should-retry"], "false");
    assert.equal(answer.headers["retry-after"], undefined);
  }
  assert.deepEqual(dumpTables(service.path), before);
  assert.equal(service.provider.calls.length, asked);
}

describe("the balance", () => {
  test("of nothing is insufficient_quota", async () => {
    await assertTurnedAway(await Purse.open(service, 0), "insufficient_quota", /credit balance.*0\.0 credits/);
  });

  test("that does not pay to start a turn is insufficient_credits, to the nano-credit", async () => {
    const purse = await Purse.open(service, 100.099);
    await assertTurnedAway(
      purse,
      "insufficient_credits",
      /balance of 100\.0 credits cannot pay to start this turn, which sets 100\.1 credits aside/,
    );
    await purse.topUp(0.001);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("that does not pay for one turn may pay for a shorter one, and for a model that is free", async () => {
    const purse = await Purse.open(service, 50);
    await assertTurnedAway(purse, "insufficient_credits", /50\.0 credits/);
    assert.equal((await purse.create({ input: "Hi", max_output_tokens: 499 })).status, 200);
    assert.equal((await purse.create({ input: "Hi", model: "test/all" })).status, 200);
  });

  test("counts without what running turns hold", async () => {
    const purse = await Purse.open(service, 150);
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const running = purse.create({ input: "Hi" });
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    assert.deepEqual(await purse.balance(), { credits: credits(150) - HOLD, held: HOLD, charged: 0n });
    await assertTurnedAway(purse, "insufficient_credits", /balance of 49\.9 credits/);
    open();
    assert.equal((await running).status, 200);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("that is used up does not keep a retry from what its first request made", async () => {
    const purse = await Purse.open(service, 100.1);
    const { opened, open } = gate();
    const usage = { ...USAGE, output_tokens: 2000, total_tokens: 2010 };
    const finished = { type: "finished", incompleteReason: null } as const;
    service.provider.plays([opened, [{ type: "text", text: "Hello" }, { type: "usage", usage }, finished]]);
    const key = { "idempotency-key": "the last of the balance" };
    const first = purse.create({ input: "Hi" }, key);
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    assert.equal((await purse.balance()).credits, 0n);
    assertRefused(await purse.create({ input: "Hi" }, key), { status: 409, code: "idempotency_in_progress" });
    open();
    const answer = await first;
    assert.equal(answer.json.status, "completed", answer.text);
    assert.equal((await purse.balance()).credits, 0n);
    assert.deepEqual((await purse.create({ input: "Hi" }, key)).json, answer.json);
    const { organizationId } = purse;
    await service.store.updateOrganization({ by: TESTS, organizationId, plan: false, paymentMethod: false });
    assert.deepEqual((await purse.create({ input: "Hi" }, key)).json, answer.json);
    for (const body of [{ input: "Another body" }, { input: 5 }]) {
      assertRefused(await purse.create(body, key), { status: 402, code: "payment_method_required" });
    }
    assertRefused(await purse.create({ input: "Hi" }, { "idempotency-key": "another key" }), {
      status: 402,
      code: "payment_method_required",
    });
  });

  test("pays for what is sent: instructions, history, input and tools, four characters a token", async () => {
    const purse = await Purse.open(service, 1000);
    service.provider.plays(says("x".repeat(400)));
    const first = await purse.create({ input: "x".repeat(400) });
    const tools = [{ type: "function", name: "look_up", description: "x".repeat(400) }];
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const second = purse.create({
      input: "x".repeat(40),
      instructions: "x".repeat(80),
      previous_response_id: first.json.id,
      max_output_tokens: 100,
      tools,
    });
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    const { held } = await purse.balance();
    const echoed = JSON.stringify(tools.map((tool) => ({ ...tool, parameters: null, strict: null })));
    const tokens = Math.ceil((400 + 400 + 40 + 80 + echoed.length) / 4) + 100;
    assert.equal(held, credits(tokens / 10));
    open();
    assert.equal((await second).status, 200);
  });

  test("is asked for more where a long input is dearer", async () => {
    const purse = await Purse.open(service, 150);
    const input = "x".repeat(40);
    assert.equal((await purse.create({ input, model: "test/tiered" })).status, 200);
    const answer = await purse.create({ input: `${input}x`, model: "test/tiered" });
    assertRefused(answer, { status: 429, code: "insufficient_credits", message: /sets 202\.2 credits aside/ });
  });
});

describe("a budget with too little left is scope_budget_exceeded, and says which", () => {
  const rows: readonly [string, (purse: Purse) => BudgetName, RegExp][] = [
    [
      "the organization, in all",
      () => ({ scope: "organization", id: null, period: "total" }),
      /your organization leaves/,
    ],
    [
      "the organization, a month",
      () => ({ scope: "organization", id: null, period: "month" }),
      /organization for the month/,
    ],
    ["the organization, a day", () => ({ scope: "organization", id: null, period: "day" }), /organization for the day/],
    [
      "the organization's day",
      () => ({ scope: "organization-day", id: null, period: "day" }),
      /organization for the day/,
    ],
    ["a member", (purse) => ({ scope: "member", id: purse.memberId, period: "month" }), /the member .* for the month/],
    ["a key", (purse) => ({ scope: "key", id: purse.keyId, period: "total" }), /this API key leaves/],
  ];
  for (const [name, budgetOf, scope] of rows) {
    test(name, async () => {
      const purse = await Purse.open(service, 100_000);
      await purse.setBudget(budgetOf(purse), 140.099);
      await spendForty(purse);
      await assertTurnedAway(purse, "scope_budget_exceeded", scope);
      await assertTurnedAway(
        purse,
        "scope_budget_exceeded",
        /: 40\.0 of 140\.1 credits are spent, and .* 100\.1 aside/,
      );
      await purse.setBudget(budgetOf(purse), 140.1);
      assert.equal((await purse.create({ input: "Hi" })).status, 200);
    });
  }

  test("what running turns hold counts, and is said", async () => {
    const purse = await Purse.open(service, 100_000);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 200);
    await spendForty(purse);
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const running = purse.create({ input: "Hi" });
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    await assertTurnedAway(purse, "scope_budget_exceeded", /40\.0 of 200\.0 credits are spent, 100\.1 are held/);
    open();
    await running;
  });

  test("another key's, another member's and another day's is none of theirs", async () => {
    const purse = await Purse.open(service, 100_000);
    const other = await service.newKey(purse.organizationId);
    await purse.setBudget({ scope: "key", id: other.keyId, period: "total" }, 0);
    await purse.setBudget({ scope: "organization-day", id: null, period: "day" }, 140);
    await spendForty(purse);
    const refused = await service.create(
      { model: "test/priced", input: "Hi", max_output_tokens: 16 },
      { key: other.secret },
    );
    assertRefused(refused, { status: 429, code: "scope_budget_exceeded", message: /API key/ });
    await assertTurnedAway(purse, "scope_budget_exceeded", /day/);
    await service.clock.advance(86_400_000);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("a budget goes before the balance", async () => {
    const purse = await Purse.open(service, 1);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 1);
    await assertTurnedAway(purse, "scope_budget_exceeded", /0\.0 of 1\.0 credits/);
  });
});

describe("what is refused before money is looked at", () => {
  test("a field, a history that is not there, a model that policy forbids, a turn too long", async () => {
    const purse = await Purse.open(service, 1);
    const { organizationId } = purse;
    assertRefused(await purse.create({ input: "" }), { status: 400, code: "invalid_input", param: "input" });
    assertRefused(await purse.create({ input: "Hi", conversation: "conv_none" }), {
      status: 404,
      code: "resource_not_found",
    });
    assertRefused(await purse.create({ input: "x".repeat(500_000) }), { status: 400, code: "context_length_exceeded" });
    await service.store.updateOrganization({ by: TESTS, organizationId, policy: { denyModels: ["test/priced"] } });
    assertRefused(await purse.create({ input: "Hi" }), { status: 400, code: "model_policy_violation", param: "model" });
  });

  test("a retry by its key finds what the first request made, whatever is left", async () => {
    const purse = await Purse.open(service, 100.1);
    const first = await purse.create({ input: "Hi" }, { "idempotency-key": "mine" });
    assert.equal(first.status, 200);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 0);
    const again = await purse.create({ input: "Hi" }, { "idempotency-key": "mine" });
    assert.deepEqual(again.json, first.json);
  });
});
