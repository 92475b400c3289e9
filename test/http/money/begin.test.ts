// The spending checks before a response begins. @spec errors/http-error-codes; docs/wire.md (Spending checks)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { credits, PRICED_MODELS, PRICES, Purse } from "../../support/money.ts";
import { WEIGHT_PER_TOKEN, weighText } from "../../../src/core/money/token-bound.ts";
import { snapshotPrices } from "../../../src/core/money/prices.ts";
import { TESTS } from "../../support/actor.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { FINISHED, gate, says, USAGE } from "../../support/scripted-provider.ts";
import { serviceForFile, withService } from "../../support/service.ts";
import { beginOf, endOf, headOf, settleOf } from "../../store/fixtures.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

/** One token of input and the first thousand of output, a tenth of a credit each. */
const HOLD = credits(100.1);

describe("the balance", () => {
  test("of zero is insufficient_quota", async () => {
    await (await Purse.open(service, 0)).assertNotBegun("insufficient_quota", /credit balance.*0\.0 credits/);
  });

  test("that is too low to start a response is insufficient_credits, to the nano-credit", async () => {
    const purse = await Purse.open(service, 100.099);
    await purse.assertNotBegun(
      "insufficient_credits",
      /balance of 100\.0 credits is too low to start this turn, which reserves 100\.1 credits/,
    );
    await purse.topUp(0.001);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("that is spent between the check and the begin is insufficient_quota, one that is reserved insufficient_credits", async () => {
    let meanwhile: () => Promise<unknown> = () => Promise.resolve();
    await withService(
      {
        models: PRICED_MODELS,
        wrapStore: (store) => ({
          ...store,
          beginResponse: async (begin) => {
            await meanwhile();
            return store.beginResponse(begin);
          },
        }),
      },
      async (raced) => {
        const purse = await Purse.open(raced, 100.1);
        const { organizationId, keyId } = purse;
        const prices = JSON.stringify(snapshotPrices({ prices: PRICES }, 0.01));
        const funds = { prices, holdNano: HOLD };
        const head = headOf();
        meanwhile = () => {
          meanwhile = () => Promise.resolve();
          return raced.store.beginResponse(beginOf(head, { caller: { organizationId, keyId }, funds }));
        };
        const reserved = await purse.create({ input: "Hi" });
        assertApiError(reserved, {
          status: 429,
          code: "insufficient_credits",
          message: /reserved another 100\.1 credits/,
        });
        meanwhile = async () => {
          meanwhile = () => Promise.resolve();
          const usage = { ...USAGE, output_tokens: 1000 };
          return raced.store.settleResponse(settleOf(head.id, [], endOf([], { usage })));
        };
        const reply = await purse.create({ input: "Hi" });
        assertApiError(reply, { status: 429, code: "insufficient_quota", message: /0\.0 credits/ });
        assert.equal(reply.json.error.type, "insufficient_quota");
      },
    );
  });

  test("that is too low for one response may pay for a shorter one, or for a free model", async () => {
    const purse = await Purse.open(service, 50);
    await purse.assertNotBegun("insufficient_credits", /50\.0 credits/);
    assert.equal((await purse.create({ input: "Hi", max_output_tokens: 499 })).status, 200);
    assert.equal((await purse.create({ input: "Hi", model: "test/all" })).status, 200);
  });

  test("excludes the holds of running responses", async () => {
    const purse = await Purse.open(service, 150);
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const running = purse.create({ input: "Hi" });
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    assert.deepEqual(await purse.balance(), { credits: credits(150) - HOLD, held: HOLD, charged: 0n });
    await purse.assertNotBegun("insufficient_credits", /balance of 49\.9 credits/);
    open();
    assert.equal((await running).status, 200);
    assert.equal((await purse.create({ input: "Hi" })).status, 200);
  });

  test("that is used up still lets a retry get the reply of its first request", async () => {
    const purse = await Purse.open(service, 100.1);
    const { opened, open } = gate();
    const usage = { ...USAGE, output_tokens: 2000, total_tokens: 2010 };
    const finished = { type: "finished", incompleteReason: null } as const;
    service.provider.plays([opened, [{ type: "text", text: "Hello" }, { type: "usage", usage }, finished]]);
    const key = { "idempotency-key": "the last of the balance" };
    const first = purse.create({ input: "Hi" }, key);
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    assert.equal((await purse.balance()).credits, 0n);
    assertApiError(await purse.create({ input: "Hi" }, key), { status: 409, code: "idempotency_in_progress" });
    open();
    const reply = await first;
    assert.equal(reply.json.status, "completed", reply.text);
    assert.equal((await purse.balance()).credits, 0n);
    assert.deepEqual((await purse.create({ input: "Hi" }, key)).json, reply.json);
    const { organizationId } = purse;
    await service.store.updateOrganization({ by: TESTS, organizationId, plan: false, paymentMethod: false });
    assert.deepEqual((await purse.create({ input: "Hi" }, key)).json, reply.json);
    for (const body of [{ input: "Another body" }, { input: 5 }]) {
      assertApiError(await purse.create(body, key), { status: 402, code: "payment_method_required" });
    }
    assertApiError(await purse.create({ input: "Hi" }, { "idempotency-key": "another key" }), {
      status: 402,
      code: "payment_method_required",
    });
  });

  test("pays for instructions, history, input and tools, as their characters may count at most", async () => {
    const purse = await Purse.open(service, 1000);
    const words = "A gateway keeps the history. ".repeat(14);
    service.provider.plays(says(words));
    const first = await purse.create({ input: words });
    const tools = [{ type: "function", name: "look_up", description: words }];
    const { opened, open } = gate();
    service.provider.plays([opened, FINISHED]);
    const second = purse.create({
      input: "Why?",
      instructions: "Be brief.",
      previous_response_id: first.json.id,
      max_output_tokens: 100,
      tools,
    });
    while (service.gateway.runs.ofKey(purse.keyId).length === 0) await new Promise(setImmediate);
    const { held } = await purse.balance();
    const echoed = JSON.stringify(tools.map((tool) => ({ ...tool, parameters: null, strict: null })));
    const weight = [words, words, "Why?", "Be brief.", echoed].reduce((sum, text) => sum + weighText(text), 0);
    // Two items behind the first, and what providers add for tools.
    const tokens = Math.round(weight / WEIGHT_PER_TOKEN) + 2 * 4 + 600 + 100;
    assert.equal(held, credits(tokens / 10));
    open();
    assert.equal((await second).status, 200);
  });

  test("must pay more where a long input has a higher price", async () => {
    const purse = await Purse.open(service, 150);
    // Ten tokens at most, and eleven.
    const input = "1".repeat(10);
    assert.equal((await purse.create({ input, model: "test/tiered" })).status, 200);
    const reply = await purse.create({ input: `${input}1`, model: "test/tiered" });
    assertApiError(reply, { status: 429, code: "insufficient_credits", message: /reserves 202\.2 credits/ });
  });
});

describe("errors that precede the spending checks", () => {
  test("an invalid field, an unknown history, a forbidden model, a response that is too long", async () => {
    const purse = await Purse.open(service, 1);
    const { organizationId } = purse;
    assertApiError(await purse.create({ input: "" }), { status: 400, code: "invalid_input", param: "input" });
    assertApiError(await purse.create({ input: "Hi", conversation: "conv_none" }), {
      status: 404,
      code: "resource_not_found",
    });
    assertApiError(await purse.create({ input: "x".repeat(500_000) }), {
      status: 400,
      code: "context_length_exceeded",
    });
    await service.store.updateOrganization({ by: TESTS, organizationId, policy: { denyModels: ["test/priced"] } });
    assertApiError(await purse.create({ input: "Hi" }), {
      status: 400,
      code: "model_policy_violation",
      param: "model",
    });
  });

  test("a retry with the same Idempotency-Key gets the first reply, whatever is left", async () => {
    const purse = await Purse.open(service, 100.1);
    const first = await purse.create({ input: "Hi" }, { "idempotency-key": "mine" });
    assert.equal(first.status, 200);
    await purse.setBudget({ scope: "organization", id: null, period: "total" }, 0);
    const again = await purse.create({ input: "Hi" }, { "idempotency-key": "mine" });
    assert.deepEqual(again.json, first.json);
  });
});
