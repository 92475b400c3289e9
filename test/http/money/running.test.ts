// Money that runs out while a response runs: how the response ends, the output kept, and the charge.
// @spec errors/failed-responses; docs/decisions/money.md
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BudgetName } from "../../../src/core/money/budgets.ts";
import { credits, Purse } from "../../support/money.ts";
import { gate } from "../../support/scripted-provider.ts";
import { until } from "../../support/until.ts";
import { ends, FAR, never, startRecorded, tokens, usageOf } from "./running-setup.ts";

const { service, holds } = await startRecorded();

/** A row of the table: an endless output, and a limit of 250 credits. */
interface Row {
  readonly name: string;
  readonly balance: number;
  readonly budget: ((purse: Purse) => BudgetName) | null;
  readonly code: string;
  readonly message: RegExp;
}

const rows: readonly Row[] = [
  {
    name: "the balance",
    balance: 250,
    budget: null,
    code: "insufficient_credits",
    message:
      /it has spent 249\.1 credits and needs 250\.1 to go on, of which 249\.\d are reserved for it\. The balance has [01]\.\d credits left\.$/,
  },
  {
    name: "the organization's day",
    balance: FAR,
    budget: () => ({ scope: "organization-day", id: null, period: "day" }),
    code: "org_daily_budget_exceeded",
    message:
      /your organization for the day was reached.*: 0\.0 of 250\.0 credits are spent, and 249\.\d are reserved for this turn\. This turn needs 250\.1 credits/,
  },
  {
    name: "the organization's budget",
    balance: FAR,
    budget: () => ({ scope: "organization", id: null, period: "month" }),
    code: "scope_budget_exceeded",
    message:
      /your organization for the month was reached.*: 0\.0 of 250\.0 credits are spent, and 249\.\d are reserved for this turn/,
  },
  {
    name: "the organization's budget of a day",
    balance: FAR,
    budget: () => ({ scope: "organization", id: null, period: "day" }),
    code: "scope_budget_exceeded",
    message: /your organization for the day/,
  },
  {
    name: "the member's budget",
    balance: FAR,
    budget: ({ memberId }) => ({ scope: "member", id: memberId, period: "total" }),
    code: "scope_budget_exceeded",
    message: /the member whose API key this is was reached/,
  },
  {
    name: "the key's budget",
    balance: FAR,
    budget: ({ keyId }) => ({ scope: "key", id: keyId, period: "month" }),
    code: "scope_budget_exceeded",
    message: /this API key for the month was reached/,
  },
  {
    name: "the limit of a single response",
    balance: FAR,
    budget: () => ({ scope: "response", id: null, period: "total" }),
    code: "budget_exceeded",
    message:
      /^This response reached its spending limit: 249\.1 of 250\.0 credits are spent\. It needs 250\.1 credits to go on\.$/,
  },
];

describe("a response that would exceed what is left fails there: its output is kept and charged", () => {
  for (const { name, balance, budget, code, message } of rows) {
    // One token of input and 2,499 of output are 250 credits; parts are of ten tokens.
    const tokensKept = 2490;
    for (const stream of [false, true]) {
      test(`${name}, ${stream ? "streaming" : "not streaming"}`, async () => {
        const purse = await Purse.open(service, balance);
        if (budget !== null) await purse.setBudget(budget(purse), 250);
        service.provider.plays([...tokens(6000), never]);
        const { aborted } = service.provider;
        const body = { input: "Hi", max_output_tokens: 8000 };
        const streamed = stream ? await purse.stream(body) : null;
        const response = streamed?.events.at(-1)?.data.response ?? (await purse.create(body)).json;
        if (streamed !== null) {
          assert.equal(streamed.events.at(-1)?.event, "response.failed");
          assert.equal(streamed.events.filter(({ event }) => event === "response.failed").length, 1);
        }
        assert.equal(response.status, "failed");
        assert.equal(response.error.code, code);
        assert.match(response.error.message, message);
        assert.deepEqual([response["svc:error"].code, response["svc:error"].retryable], [code, false]);
        const [kept] = response.output;
        assert.equal(kept.status, "incomplete");
        assert.equal(kept.content[0].text, "four".repeat(tokensKept));
        assert.deepEqual([response.usage.input_tokens, response.usage.output_tokens], [1, tokensKept]);
        assert.equal(service.provider.aborted, aborted + 1);
        assert.deepEqual((await purse.retrieve(response.id)).json, response);
        await purse.agrees(credits(249.1));
        assert.equal(service.logged.filter(({ event }) => event === "turn.shortfall").length, 0);
      });
    }
  }

  const RESPONSE = { scope: "response", id: null, period: "total" } as const;

  test("a response limit below the first hold lets the response run up to it", async () => {
    const purse = await Purse.open(service, FAR, [[RESPONSE, 50]]);
    service.provider.plays([...tokens(6000), never]);
    const { json } = await purse.create({ input: "Hi" });
    assert.deepEqual([json.status, json.error.code, json.usage.output_tokens], ["failed", "budget_exceeded", 490]);
    assert.match(json.error.message, /49\.1 of 50\.0 credits are spent/);
    await purse.agrees(credits(49.1));
  });

  test("a response limit equal to the first hold lets the response run", async () => {
    const purse = await Purse.open(service, FAR, [[RESPONSE, 100.1]]);
    service.provider.plays([...tokens(1000), ends(1000)]);
    const { json } = await purse.create({ input: "Hi" });
    assert.equal(json.status, "completed");
    assert.deepEqual(await purse.transfersOf(json.id), [
      ["hold", credits(100.1)],
      ["settle", credits(100.1)],
    ]);
    await purse.agrees(credits(100.1));
  });

  test("a response limit below the input and one token fails the response before its provider call, free of charge", async () => {
    for (const limit of [0, 0.199]) {
      const purse = await Purse.open(service, FAR, [[RESPONSE, limit]]);
      const callsBefore = service.provider.calls.length;
      for (const stream of [false, true]) {
        const body = { input: "Hi" };
        const failed = stream
          ? (await purse.stream(body)).events.at(-1)?.data.response
          : (await purse.create(body)).json;
        assert.equal(failed.status, "failed");
        assert.equal(failed.error.code, "budget_exceeded");
        assert.match(failed.error.message, limit === 0 ? /0\.0 of 0\.0 credits/ : /0\.0 of 0\.2 credits/);
        assert.deepEqual([failed.output, failed.usage.total_tokens], [[], 0]);
        const held = credits(limit);
        const transfers = [
          ["hold", held],
          ["void", held],
        ];
        assert.deepEqual(await purse.transfersOf(failed.id), limit === 0 ? [] : transfers);
        assert.deepEqual((await purse.retrieve(failed.id)).json, failed);
      }
      assert.equal(service.provider.calls.length, callsBefore);
      await purse.agrees(0n);
    }
  });

  test("a top-up in time lets the response continue", async () => {
    const purse = await Purse.open(service, 150);
    const { opened, open } = gate();
    holds.extensions = [];
    service.provider.plays([...tokens(1400), opened, ...tokens(600), ends(2000)]);
    const running = purse.create({ input: "Hi", max_output_tokens: 8000 });
    await until("more is held", () => holds.extensions.length > 1);
    await purse.topUp(100);
    open();
    assert.equal((await running).json.status, "completed");
    await purse.agrees(credits(200.1));
  });

  test("output that is exactly paid for completes, and so does any output once its limit is paid for", async () => {
    // A token of input and 1,500 of output: the last of the balance pays the last token.
    const exact = await Purse.open(service, 150.1);
    service.provider.plays([...tokens(1500), ends(1500)]);
    assert.equal((await exact.create({ input: "Hi", max_output_tokens: 8000 })).json.status, "completed");
    await exact.agrees(credits(150.1));
    // Tokens of eight characters: the 1,500 of its limit are 3,000 by the estimate.
    const limited = await Purse.open(service, 150.1);
    service.provider.plays([...tokens(3000), ends(1500)]);
    assert.equal((await limited.create({ input: "Hi", max_output_tokens: 1500 })).json.status, "completed");
    await limited.agrees(credits(150.1));
  });

  test("an input that the provider counts longer is paid for besides the whole output", async () => {
    const purse = await Purse.open(service, 250);
    service.provider.plays([
      [{ type: "usage", usage: usageOf(900, 0) }],
      ...tokens(1600),
      [
        { type: "usage", usage: usageOf(900, 1600) },
        { type: "finished", incompleteReason: null },
      ],
    ]);
    const { json } = await purse.create({ input: "Hi", max_output_tokens: 1600 });
    assert.equal(json.status, "completed");
    await purse.agrees(credits(250));
  });
});
